# Fit a model of an R package to the documents that r_peers.py has written into a folder.
#
#     Rscript r_peers.R stm FOLDER
#     Rscript r_peers.R keyATM FOLDER
#
# Numbers are written as doubles, row by row; processor seconds are those of the fit alone.

suppressPackageStartupMessages(library(Matrix))
arguments <- commandArgs(trailingOnly = TRUE)
package <- arguments[1]
path <- function(name) file.path(arguments[2], name)
save_rows <- function(values, name) writeBin(as.vector(t(values)), path(name))
seed <- scan(path("seed"), quiet = TRUE)
counts <- as(as(readMM(path("counts.mtx")), "CsparseMatrix"), "generalMatrix")
dimnames(counts) <- list(paste0("d", seq_len(nrow(counts))), paste0("w", seq_len(ncol(counts)) - 1))
processor <- function() sum(proc.time()[c(1, 2, 4, 5)])

effects_of_stm <- function() {
  library(stm)
  data <- data.frame(group = factor(scan(path("group"), quiet = TRUE)))
  n_topics <- scan(path("n_topics"), quiet = TRUE)
  given <- file.exists(path("start"))
  control <- list()
  if (given) {
    size <- n_topics * ncol(counts)
    control$custom.beta <- list(log(matrix(readBin(path("start"), "double", size), n_topics, byrow = TRUE)))
  }
  set.seed(seed)
  start <- processor()
  model <- stm(
    counts, K = n_topics, prevalence = ~group, data = data, init.type = if (given) "Custom" else "Spectral",
    seed = seed, verbose = FALSE, control = control
  )
  fitted <- estimateEffect(~group, model, metadata = data, uncertainty = "Global")
  tables <- summary(fitted)$tables
  seconds <- processor() - start
  half <- qt(0.975, nrow(data) - 2)
  found <- t(sapply(tables, function(one) {
    estimate <- one[2, "Estimate"]
    estimate + c(0, -1, 1) * half * one[2, "Std. Error"]
  }))
  stopifnot(identical(model$vocab, colnames(counts)))
  save_rows(found, "effects")
  save_rows(exp(model$beta$logbeta[[1]]), "topics")
  seconds
}

topics_of_keyatm <- function() {
  suppressPackageStartupMessages(library(keyATM))
  keywords <- lapply(strsplit(readLines(path("keywords")), ","), function(columns) paste0("w", columns))
  names(keywords) <- sprintf("group%02d", seq_along(keywords))
  sweeps <- scan(path("sweeps"), quiet = TRUE)
  start <- processor()
  model <- suppressMessages(keyATM(
    keyATM_read(counts), model = "base", no_keyword_topics = length(keywords), keywords = keywords,
    options = list(seed = seed, iterations = sweeps, verbose = FALSE)
  ))
  seconds <- processor() - start
  stopifnot(nrow(model$theta) == nrow(counts), setequal(colnames(model$phi), colnames(counts)))
  save_rows(model$theta, "shares")
  save_rows(model$phi[, colnames(counts)], "topics")
  seconds
}

seconds <- if (package == "stm") effects_of_stm() else topics_of_keyatm()
save_rows(seconds, "seconds")
