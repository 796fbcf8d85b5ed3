/// User agents of common browsers, with shares of what people use: round numbers, made up to have a long tail.
enum MadeUserAgents {
    private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0"
    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"

    /// The user agents, the most frequent first.
    static let all: [(agent: String, share: Double)] = [
        ("Mozilla/5.0 (Linux; Android 10; K) \(chrome) Mobile Safari/537.36", 0.28),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) \(webKit) Version/18.5 Mobile/15E148 Safari/604.1",
            0.21
        ),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36", 0.18),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(webKit) Version/18.5 Safari/605.1.15", 0.07),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 Edg/138.0.0.0", 0.06),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(chrome) Safari/537.36", 0.05),
        (
            "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36", 0.035
        ),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", 0.03),
        ("Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) \(webKit) Version/17.7 Mobile/15E148 Safari/604.1", 0.02),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) \(webKit) CriOS/138.0 Mobile/15E148 Safari/604.1",
            0.02
        ),
        ("Mozilla/5.0 (X11; Linux x86_64) \(chrome) Safari/537.36", 0.012),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", 0.01),
        ("Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", 0.008),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 OPR/122.0.0.0", 0.008),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chrome) Safari/537.36", 0.007),
        ("Mozilla/5.0 (Linux; Android 13; SM-X700) \(chrome) Safari/537.36", 0.006),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0", 0.005),
        ("Mozilla/5.0 (Linux; Android 10; K) \(chrome) Mobile Safari/537.36 OPR/90.0.0.0", 0.004),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", 0.003),
        ("Mozilla/5.0 (PlayStation; PlayStation 5/2.26) \(webKit) Version/13.0 Safari/605.1.15", 0.002),
        ("Mozilla/5.0 (X11; FreeBSD amd64) KHTML/5.0 Konqueror/5.0", 0.001),
    ]

    /// The share of a user agent, or of a name that stands for one.
    static func share(of agent: String) -> Double { all.first { $0.agent == agent }?.share ?? 0.001 }
}
