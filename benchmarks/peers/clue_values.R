# The objective that a consensus of R's clue reaches.
#
# Rscript clue_values.R FOLDER METHOD N_CLUSTERS SEED N_RUNS
#
# FOLDER has the memberships of each clustering in members-1.csv, members-2.csv, ...,
# and the weights of the clusterings in weights.csv, all without a head. The last line
# printed is the objective.

suppressMessages(library(clue))
given <- commandArgs(trailingOnly = TRUE)
method <- given[2]
k <- as.integer(given[3])
weights <- scan(file.path(given[1], "weights.csv"), quiet = TRUE)
weights <- weights / sum(weights)
members <- lapply(seq_along(weights), function(m) {
  file <- file.path(given[1], sprintf("members-%d.csv", m))
  as.cl_partition(as.matrix(read.csv(file, header = FALSE)))
})
set.seed(as.integer(given[4]))
# The fixed points take a number of runs; GV3 is a programme with a penalty.
control <- if (method == "GV3") {
  list(k = k, nruns = as.integer(given[5]), control = list(eps = 1e-10))
} else {
  list(k = k, nruns = as.integer(given[5]), reltol = 1e-12)
}
ensemble <- cl_ensemble(list = members)
consensus <- cl_consensus(ensemble, method = method, weights = weights, control = control)

if (method == "GV3") {
  Q <- unclass(cl_membership(consensus))
  mean <- Reduce(`+`, Map(function(one, w) {
    B <- unclass(cl_membership(one))
    w * (B %*% t(B))
  }, members, weights))
  value <- sum((mean - Q %*% t(Q))^2)
} else {
  kind <- c(SE = "euclidean", HE = "euclidean", SM = "manhattan", HM = "manhattan",
            GV1 = "GV1")[[method]]
  apart <- sapply(members, function(one) cl_dissimilarity(one, consensus, method = kind))
  value <- sum(weights * (if (kind == "manhattan") apart else apart^2))
}
cat(sprintf("%.12g\n", value))
