# Time R's ConsensusClusterPlus (Bioconductor).
#
# Rscript consensus_cluster_plus.R FOLDER ALGORITHM N_CLUSTERS SEED
#
# FOLDER/input.csv has one object as each row, without a head; the labels are written to
# FOLDER/labels.csv. The last line printed is JSON: the CPU seconds of the call, and the
# most memory that R used above what it used before, in MB. As many clusterings are made
# as by our generators, 50, each of 80 % of the objects.

suppressMessages(library(ConsensusClusterPlus))
given <- commandArgs(trailingOnly = TRUE)
objects <- t(as.matrix(read.csv(file.path(given[1], "input.csv"), header = FALSE)))
n_clusters <- as.integer(given[3])

invisible(gc(reset = TRUE))
before <- sum(gc()[, 6])
start <- proc.time()
# It has no number of clusters but a largest one, 3 or more, and plots come with it.
pdf(NULL)
results <- suppressMessages(ConsensusClusterPlus(
  objects,
  maxK = max(n_clusters, 3),
  reps = 50,
  pItem = 0.8,
  clusterAlg = given[2],
  distance = "euclidean",
  seed = as.integer(given[4]) + 1
))
spent <- proc.time() - start

found <- results[[n_clusters]]$consensusClass
write.table(found, file.path(given[1], "labels.csv"), row.names = FALSE, col.names = FALSE)
peak <- max(sum(gc()[, 6]) - before, 0)
cat(sprintf('{"seconds": %.4f, "peak_mb": %.1f}\n', spent[1] + spent[2], peak))
