# The objective, or the classes, of a consensus hierarchy of R's clue.
#
# Rscript clue_trees.R FOLDER METHOD SEED N_RUNS
#
# FOLDER has the heights at which objects meet in each tree in members-1.csv,
# members-2.csv, ..., and the weights of the trees in weights.csv, all without a head.
# The last line printed is the objective. Of METHOD "majority" the lines are the classes
# with more than one object, as the numbers of these from 1.

suppressMessages(library(clue))
given <- commandArgs(trailingOnly = TRUE)
method <- given[2]
weights <- scan(file.path(given[1], "weights.csv"), quiet = TRUE)
weights <- weights / sum(weights)
members <- lapply(seq_along(weights), function(m) {
  file <- file.path(given[1], sprintf("members-%d.csv", m))
  heights <- as.matrix(read.csv(file, header = FALSE))
  dimnames(heights) <- NULL
  as.cl_dendrogram(as.cl_ultrametric(heights))
})
set.seed(as.integer(given[3]))
ensemble <- cl_ensemble(list = members)
runs <- if (method == "majority") list() else list(nruns = as.integer(given[4]))
consensus <- cl_consensus(ensemble, method = method, weights = weights, control = runs)

if (method == "majority") {
  classes <- unclass(cl_classes(consensus))
  for (own in classes[lengths(classes) > 1L]) cat(sort(own), "\n")
} else {
  power <- if (method == "euclidean") 2 else 1
  found <- cl_ultrametric(consensus)
  apart <- sapply(members, function(one) sum(abs(cl_ultrametric(one) - found)^power))
  cat(sprintf("%.12g\n", sum(weights * apart)))
}
