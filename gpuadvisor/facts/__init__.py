"""Facts: reports turned into tables with canonical columns, the vocabulary of the rules."""
