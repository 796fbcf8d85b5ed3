// Suppression: a table with small cells in; which cells to publish, with a proof, out. It is behind
// `throng suppress` and no part of the daemon. No I/O.
//
//   Table         CSV, hierarchies and linked tables; the protected table that comes out (Table, ProtectedTable)
//   Problem       leaves, cells and what is known of them (SuppressionProblem, CompactProblem)
//   Elimination   what can be computed from the published cells (PublishedSystem, GreedyPublisher)
//   Witness       other tables that show that a cell is not bounded (WitnessStore, CircuitProgram)
//   Repair        hides more where something is bounded, and gives back the rest (PatternSearch)
//   Verification  checks the pattern, and shares no line with the search (PatternVerifier)
//   Exact         a cheapest pattern of a small table (ExactSuppression)
//
// Start with SuppressionEngine.swift. Suppress.md is the page on it.
