/// The smallest number of devices that a published number may stand for: k.
package struct Threshold: Hashable, Sendable, Codable, Comparable {
    /// The number of devices, at least ``lowest``. Unit: devices.
    package let devices: Int64

    /// The lowest k; a plan with a lower one is refused. Unit: devices.
    package static let lowest: Int64 = 5
    /// The threshold of a plan that names none.
    package static let standard = Threshold(devices: 20)

    /// The lowest threshold of a plan that counts children; one with a lower threshold is refused.
    package static let forChildren = Threshold(devices: 50)

    package init(devices: Int64) { self.devices = devices }

    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}
