/// What kind of thing a user agent runs on.
package enum DeviceClass: String, Sendable, Hashable, CaseIterable {
    case phone
    case tablet
    case desktop
    case bot
    /// Televisions, consoles, watches, cars, and what can't be told.
    case other

    /// Decides by uap-core's families, in this order:
    ///
    /// 1. uap-core's device family "Spider", or a browser without a window: a bot.
    /// 2. A television or a console by its name in the user agent: other.
    /// 3. iOS: an iPad is a tablet, the rest are phones. An iPad that asks for desktop pages calls itself a Mac and
    ///    is a desktop.
    /// 4. Android: a phone where the user agent says `Mobile`, else a tablet (Google, "Updating Android user agents":
    ///    browsers of phones say it, those of tablets do not).
    /// 5. Other systems by the table below; where that has no answer, uap-core's generic device families.
    init(browser: String, operatingSystem: String, device: String, userAgent: UnsafeBufferPointer<UInt8>) {
        func says(_ word: StaticString) -> Bool { word.withUTF8Buffer { userAgent.holds($0) } }
        if device == "Spider" || browser == "HeadlessChrome" || browser == "PhantomJS" {
            self = .bot
        } else if says("TV") || says("BRAVIA") || says("Xbox") || says("PlayStation") || says("Nintendo") {
            self = .other
        } else if operatingSystem == "iOS" {
            self = says("iPad") ? .tablet : .phone
        } else if operatingSystem == "Android" {
            self = says("Mobile") ? .phone : .tablet
        } else if let known = Self.bySystem[operatingSystem] {
            self = known
        } else if Self.desktopFamilies.contains(OperatingSystemFamily.folded(operatingSystem)) {
            self = .desktop
        } else {
            self = Self.byDevice[device] ?? .other
        }
    }

    private static let desktopFamilies: Set<String> = ["Windows", "macOS", "Linux", "ChromeOS", "BSD"]

    private static let bySystem: [String: DeviceClass] = [
        "Bada": .phone, "BlackBerry OS": .phone, "BlackBerry Tablet OS": .tablet, "Brew MP": .phone, "KaiOS": .phone,
        "MeeGo": .phone, "Nokia Series 30 Plus": .phone, "Nokia Series 40": .phone, "Symbian OS": .phone,
        "Symbian^3": .phone, "Symbian^3 Anna": .phone, "Symbian^3 Belle": .phone, "Windows Mobile": .phone,
        "Windows Phone": .phone, "Solaris": .desktop,
    ]

    private static let byDevice: [String: DeviceClass] = [
        "Generic Feature Phone": .phone, "Generic Smartphone": .phone, "Generic Tablet": .tablet,
    ]
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a run of these bytes is the word.
    fileprivate func holds(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count >= word.count else { return false }
        return (0...count - word.count).contains { self[$0..<$0 + word.count].elementsEqual(word) }
    }
}
