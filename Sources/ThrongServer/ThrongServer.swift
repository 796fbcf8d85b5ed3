// ThrongServer: HTTP in; answers out, and pages for partners, analysts and operators. It puts the daemon together.
//
//   Daemon            what starts, runs and stops; Daemon+Running is the list of services, IngestionStart the replay
//   Ingestion         batches on their connection's event loop, counted, journalled, answered (BatchHandler, Ingestion)
//   Flush             counts into PostgreSQL, once (FlushService), and who may do so (FenceWatch)
//   Edge, HTTP        proxies, TLS and deadlines of connections (ConnectionEdge); middleware and headers
//   Portal, Pages     pages behind a sign-in (Portal), and public ones; Web has their scripts
//   SeveralDaemons    other daemons that count with this one (MemberWatch, Neighbours)
//   Oblivious, Evaluator, Revealed
//                     what a plan may ask for besides: sealed requests, credentials, labels
//   Tryout            the page of `throng try`, before a daemon of its own (TryoutServer)
//   Telemetry, Health, Process, Descriptors
//                     figures, logs and traces; the process, its signals and its stop
//
// Start with Daemon+Running.swift, then Ingestion/BatchHandler.swift.
