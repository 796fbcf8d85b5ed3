// ThrongAttestation: a daemon's response in; a credential and what it shows in a window out. It is the device's half of
// anonymous credentials, and both halves of evaluating a value. An app may use it.
//
//   Device      asks for a credential a month, keeps it, and makes identifiers by it (DeviceCredentials)
//   Credential  the scheme: requests, credentials, and what they show in a window (Credential, Presentation)
//   Evaluation  the VOPRF by which an evaluator makes something of a value (ValueBlinder, EvaluatorSecret)
//   Group       the curve P-256, in constant time (Point, Scalar, FieldElement)
//
// Start with Device/DeviceCredentials.swift. The daemon's half is ThrongCredentials; ThrongClient knows only protocols.
