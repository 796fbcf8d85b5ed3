public import Foundation

/// A secret that only this device has, so that documents that are restored or copied to another one can't be read
/// there.
public protocol DeviceBinding: Sendable {
    /// A key of 32 bytes for an app: the same at each start on this device, and another one on any other.
    ///
    /// - Parameter app: the app's name in its plan.
    /// - Returns: nil if the system has nothing that tells devices apart; documents are bound to none then.
    /// - Throws: if it can't be had now, as before a phone is unlocked for the first time. Nothing starts then: going
    ///   on without it would make this another device.
    func key(for app: String) throws -> Data?
}
