/// A proved lower bound on the number of devices behind a cell.
///
/// Within one window one device has one identifier, so the distinct identifiers of one window are a lower bound on
/// devices; over windows they are not, so floors are compared, never added (design, section 5).
package struct DeviceFloor: Hashable, Sendable, Comparable, Codable {
    /// The bound. Unit: devices. 0 proves nothing.
    package let devices: Int64
    /// Wraps a bound.
    package init(devices: Int64) { self.devices = devices }
    /// Nothing is proved.
    package static let none = DeviceFloor(devices: 0)
    /// Orders by strength.
    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}
