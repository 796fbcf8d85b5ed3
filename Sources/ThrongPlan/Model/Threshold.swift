/// The smallest number of devices that a published number may stand for: k.
package struct Threshold: Hashable, Sendable, Codable, Comparable {
    /// Unit: devices. At least ``lowest``.
    package let devices: Int64

    /// Below this a plan is refused.
    package static let lowest: Int64 = 5
    /// What a plan gets that names none.
    package static let standard = Threshold(devices: 20)

    /// Below this a plan that counts children is refused.
    package static let forChildren = Threshold(devices: 50)

    /// Wraps a k that the plan's reader has checked against ``lowest``.
    package init(devices: Int64) { self.devices = devices }

    /// Whether what stands for so many devices may be published. What protects the rest by linear programs has k as a number.
    ///
    /// - Parameter floor: so many are proved to be there, at least. Unit: devices.
    package func isReached(by floor: Int64) -> Bool { floor >= devices }

    /// Orders by strictness.
    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}
