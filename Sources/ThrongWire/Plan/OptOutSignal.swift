/// A way in which a person's software says no.
public enum OptOutSignal: String, Sendable, Hashable, CaseIterable, Codable {
    /// The header `Sec-GPC: 1`.
    case globalPrivacyControl = "global_privacy_control"
    /// The header `DNT: 1`.
    case doNotTrack = "do_not_track"
    /// The operating system's setting; the client library honours it.
    case limitAdTracking = "limit_ad_tracking"
}
