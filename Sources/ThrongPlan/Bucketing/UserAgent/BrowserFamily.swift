/// The families that browsers are gathered into.
package enum BrowserFamily {
    /// The families of a plan that names none. Further ones that can be named: any family of uap-core, as it spells it,
    /// and what the table below makes of it, such as "Internet Explorer".
    package static let standard = ["Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet"]

    /// The family that one of uap-core's belongs to; itself where the table has no other.
    static func folded(_ family: String) -> String { table[family] ?? family }

    /// uap-core's families, which tell apart a browser on a phone, in a view of another app, and in a test version.
    static let table: [String: String] = [
        "Chrome Mobile": "Chrome", "Chrome Mobile iOS": "Chrome", "Chrome Mobile WebView": "Chrome",
        "Chrome Frame": "Chrome", "Chromium": "Chrome", "HeadlessChrome": "Chrome",
        "Mobile Safari": "Safari", "Mobile Safari UI/WKWebView": "Safari",
        "Firefox Mobile": "Firefox", "Firefox iOS": "Firefox", "Firefox Alpha": "Firefox", "Firefox Beta": "Firefox",
        "Firefox Focus": "Firefox", "Firefox Klar": "Firefox", "Firefox (Minefield)": "Firefox",
        "Firefox (Namoroka)": "Firefox", "Firefox (Shiretoko)": "Firefox",
        "Edge Mobile": "Edge", "Edge WebView": "Edge", "Edge Webview2": "Edge",
        "Opera Mobile": "Opera", "Opera Mini": "Opera", "Opera Tablet": "Opera", "Opera Touch": "Opera",
        "Opera Coast": "Opera", "Opera Neon": "Opera", "Opera GX": "Opera",
        "IE": "Internet Explorer", "IE Mobile": "Internet Explorer", "IE Large Screen": "Internet Explorer",
        "DuckDuckGo Mobile": "DuckDuckGo", "Yandex Browser": "Yandex", "YandexSearch": "Yandex",
    ]
}
