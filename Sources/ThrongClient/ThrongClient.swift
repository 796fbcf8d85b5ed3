// ThrongClient: an app's events in; batches out. Apps build it in, with ThrongWire and nothing of the daemon.
//
//   Throng   the actor that an app uses; each of its aspects has a file (Throng+Consent, Throng+Sending)
//   Device   what the device keeps: the plan, queues, batches without an answer, consent (DeviceMemory, DevicePlan)
//   Events   values, and the inbox in which they wait (EventValue, Inbox)
//   Answers  what an app may ask or is told (ThrongStatus, ThrongNotice, Inspection)
//   Parts    storage, transport, clock and the like, which an app may bring with it (ClientStorage, ClientTransport)
//
// Start with Throng.swift, then Device/DeviceMemory.swift. ClientSDK.md is the page on it.
