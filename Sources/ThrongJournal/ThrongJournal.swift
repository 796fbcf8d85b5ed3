// ThrongJournal: what was counted in; the same out, after a restart. It owns the data directory.
//
//   DataDirectory    the files and who may have them; Machine and Disk are how they are reached
//   Journal          appends records on a thread of its own; many share one sync
//   Segment          the format of a segment, byte by byte; EntryFormat is what is encrypted in it
//   JournalReader    reads records back at a start; TornTail is what a crash left behind them
//   Checkpoint       what is known of open windows, so that a start need not read it all (CheckpointIndex)
//   KeyRing          the keys of windows, which are destroyed when these are over
//   KeptFlushes      flushes that are kept in case PostgreSQL loses them
//   Lease            the right of this process to acknowledge
//
// Start with Journal.swift and Segment.swift. Architecture.md says why ("Journal and exactly-once").
