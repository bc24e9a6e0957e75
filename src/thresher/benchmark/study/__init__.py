"""Methods run on data sets, fold by fold: what is to be done, who does it, where it is kept."""
