# Time a consensus of R's clue.
#
# Rscript clue.R FOLDER METHOD N_CLUSTERS SEED
#
# FOLDER/input.csv has one clustering as each column, without a head; the consensus is
# written to FOLDER/labels.csv. The last line printed is JSON: the CPU seconds of the
# call, and the most memory that R used above what it used before, in MB.

suppressMessages(library(clue))
given <- commandArgs(trailingOnly = TRUE)
labels <- as.matrix(read.csv(file.path(given[1], "input.csv"), header = FALSE))
set.seed(as.integer(given[4]))

invisible(gc(reset = TRUE))
before <- sum(gc()[, 6])
start <- proc.time()
members <- lapply(seq_len(ncol(labels)), function(m) as.cl_partition(labels[, m]))
consensus <- cl_consensus(
  cl_ensemble(list = members),
  method = given[2],
  control = list(k = as.integer(given[3]))
)
found <- as.integer(cl_class_ids(consensus))
spent <- proc.time() - start

write.table(found, file.path(given[1], "labels.csv"), row.names = FALSE, col.names = FALSE)
peak <- max(sum(gc()[, 6]) - before, 0)
cat(sprintf('{"seconds": %.4f, "peak_mb": %.1f}\n', spent[1] + spent[2], peak))
