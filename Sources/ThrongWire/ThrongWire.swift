// ThrongWire: what clients and daemons both know. It depends on no other target, and apps build it into themselves.
//
//   Batch        a batch, its answer, and the reasons why an event is refused (Batch, BatchAnswer, RefusalReason)
//   Plan         the public plan, which devices read (PublicPlan)
//   Bucketing    how a field's value becomes one of a few labels (BucketingRule, Bucketing)
//   Calendar     instants, dates and periods (UnixSeconds, Instant, CalendarDate, Period)
//   Revealed     hashes of values that nobody can list, and their evaluation (RevealedHash, ValueBlinding)
//   Credentials  where identifiers come from that nobody can invent (IdentifierSource)
//   Oblivious    messages that are sealed for a relay's way, and opened (SealedRequest, OpenedRequest)
//
// Start with Batch/Batch.swift and Bucketing/Bucketing.swift. WireProtocol.md is the page on it.
