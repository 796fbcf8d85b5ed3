// ThrongNoise: a question and a secret in; its noise out, the same each time, and the margin that it makes. No I/O.
//
//   Question     the key of a question, the secret, and the two layers of a draw (QuestionKey, DrawSecret, Layer)
//   Sampling     whole-number noise, drawn exactly (DiscreteGaussian)
//   Interaction  tables, and the interactions that they consist of (GroupingTable, InteractionTable)
//   Margins      how far off numbers are, and the rule for publishing a cell (GroupingMargin, PublicationRule)
//   Numbers      exact fractions (Rational)
//
// Start with Question/KeptNoise.swift. Margins.md has the model and the proofs.
