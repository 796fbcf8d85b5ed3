/// The settings of an operator for reports: the same for the daemon and for reports that are made by hand.
package struct ReportSettings: Sendable, Hashable {
    /// `report.key` (path, `signing/key.pem` in the data directory): the key that signs manifests.
    package var signing: ReportKeyFolder
    package var printer = PagePrinter()
    package var delivery: DeliveryOptions

    package init(dataPath: String) {
        signing = ReportKeyFolder(dataPath: dataPath)
        delivery = DeliveryOptions(dataPath: dataPath)
    }
}
