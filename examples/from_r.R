# comitia from R: needs the package reticulate, 1.38 or newer, which knows NumPy 2, and
# RETICULATE_PYTHON names a Python that has comitia.
library(reticulate)
comitia <- import("comitia")
X <- scale(as.matrix(iris[, 1:4]))
model <- comitia$ConsensusClustering(n_clusters = 3L, random_state = 0L)$fit(X)
print(table(iris$Species, as.vector(model$labels_)))
votes <- sapply(2:6, function(k) {
  set.seed(k)
  kmeans(X, k)$cluster
})
storage.mode(votes) <- "integer"  # a matrix with one clustering in each column
lwea <- comitia$method("lwea")(n_clusters = 3L)$fit(comitia$Ensemble(votes))
cat("labels:", length(lwea$labels_), "weights:", length(lwea$cluster_weights_), "\n")
