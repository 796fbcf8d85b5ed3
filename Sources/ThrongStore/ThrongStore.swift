// ThrongStore: flushes and releases in; rows of PostgreSQL out, and what is read back. Queries stand in Schema/queries.
//
//   Postgres    libpq on a thread of its own (Connection, Session, RowQuery), and a private cluster (PrivateCluster)
//   Migrations  the schema, brought up to date (Migrator)
//   Counters    a flush, once: the watermark and the deltas in one transaction (CounterStore)
//   Releases    evidence, the ledger of releases and its digests (ReleaseStore); PeriodClosing asks what is still to come
//   Retention   what goes by its age, and the chain that says so (RetentionStore, DeletionStore)
//   Backup      one file that forgets with the keys, and a house from it (BackupStore, Restoration)
//   Members, Plans, Layouts, Labels, Firsts, Coverage, Apps, Clock, Calendar, Runs, Deliveries, Access, Analysts
//               a folder for each of the other tables: a store, and its queries as functions
//
// Start with Counters/CounterStore+Flush.swift and Releases/ReleaseStore.swift. PostgreSQL.md is the page on it.
