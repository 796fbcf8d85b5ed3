// ThrongCredentials: a device's request, and who vouches for it, in; a credential by a key of the month out. It is the
// daemon's half of anonymous credentials; ThrongAttestation is the device's.
//
//   Issuing    answers requests, on a thread of its own (CredentialIssuer), by keys of a month and app (EpochKeys);
//              how many credentials each device got (IssuedCounts)
//   Attesters  who vouches for a device: Apple, Android, a command, a server (Attester)
//   Settings   the file with all of this (CredentialSettings, CredentialRules)
//
// Start with Issuing/CredentialIssuer.swift.
