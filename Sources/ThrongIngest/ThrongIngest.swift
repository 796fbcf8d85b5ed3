// ThrongIngest: a request's bytes in; batches that are bucketed, counted and ready to be flushed out. No I/O but the file of app keys.
//
//   Decoding  decodes, checks and buckets, in one pass over the parsed document (Intake, BatchReader, AppTables)
//   Counting  counts and bounds: a state machine that says what it changed (Counting, CountedBatch, Flush)
//   SeveralDaemons  which daemon counts an identifier (Slot, OwnershipEpoch, Membership)
//
// Start with Decoding/Intake.swift, then Counting/Counting.swift. ThrongServer calls them (Ingestion), and journals what
// Counting returns before it tells the client.
