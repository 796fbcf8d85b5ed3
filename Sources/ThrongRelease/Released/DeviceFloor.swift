/// A proved lower bound on the devices behind a cell: the distinct identifiers of one window. Over windows floors are
/// compared, never added.
package struct DeviceFloor: Hashable, Sendable, Comparable, Codable {
    /// The bound. Unit: devices. 0 proves nothing.
    package let devices: Int64
    package init(devices: Int64) { self.devices = devices }
    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}
