/// The settings of an operator for reports: the same for the daemon and for reports that are made by hand.
package struct ReportSettings: Sendable, Hashable {
    /// `report.key` (path, `signing/key.pem` in the data directory): the key that signs manifests.
    package var signing: ReportKeyFolder
    /// The Chromium that prints PDFs: the first one on the PATH.
    package var printer = PagePrinter()
    /// The options of deliveries over the network.
    package var delivery: DeliveryOptions

    /// The documented defaults.
    package init(dataPath: String) {
        signing = ReportKeyFolder(dataPath: dataPath)
        delivery = DeliveryOptions(dataPath: dataPath)
    }
}
