// ThrongRelease: the counters of a metric's period in; a Release of published cells out. No I/O.
//
//   Cube      counters and distinct counts as they were read (StoredCube), and devices that are proved
//   Decision  floors, noise and what is withheld: k is compared here (MarginCase, DeviceSource, DrawnCrowd)
//             from a release's evidence (ReleaseEvidence, ReleaseDecision)
//   Released  the release, its digest, and the only type of number that may be reported (Release, PublishedCell)
//
// Start with Decision/MarginCase.swift (`decide`). ThrongNoise draws; Margins.md has the model and the proofs.
