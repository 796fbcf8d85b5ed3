/// The reading of one user agent by uap-core's rules. It lasts for one call and holds parts of what a client sent.
struct UserAgentReading: Sendable {
    /// The browser's family as uap-core names it, such as "Mobile Safari"; ``unknown`` where no rule matches.
    let browser: String
    /// The operating system's family as uap-core names it, such as "Mac OS X"; ``unknown`` where no rule matches.
    let operatingSystem: String
    let deviceClass: DeviceClass

    /// uap-core's name for a family that no rule names.
    static let unknown = "Other"
}

/// The kind of device that a user agent runs on.
package enum DeviceClass: String, Sendable, Hashable, CaseIterable {
    case phone
    case tablet
    case desktop
    case bot
    /// Televisions, consoles, headsets, watches, cars, and what can't be told.
    case other

    /// Classifies a user agent by ``BotRule`` and uap-core's families, in this order:
    ///
    /// 1. A user agent that ``BotRule`` matches, and uap-core's device family "Spider": a bot.
    /// 2. A television, a console, a headset or a car by its name in the user agent: other.
    /// 3. iOS: an iPad is a tablet, the rest are phones. An iPad that asks for desktop pages calls itself a Mac, and
    ///    is one unless its page says what it is, as the beacon does.
    /// 4. Android: a phone where the user agent says `Mobile`, else a tablet (Google, "Updating Android user agents":
    ///    browsers of phones say it, those of tablets do not). Apps need not say it: theirs is a phone unless it says
    ///    `Tab`.
    /// 5. Other systems by the table below; where that has no answer, OpenHarmony's word, which comes first, then
    ///    uap-core's generic device families.
    ///
    /// - Parameters:
    ///   - device: finds uap-core's device family.
    ///   - isSuspect: true if that may be ``spider``.
    init(operatingSystem: String, device: () -> String, isSuspect: Bool, userAgent: UnsafeBufferPointer<UInt8>) {
        func says(_ word: StaticString) -> Bool { word.withUTF8Buffer { userAgent.holds($0) } }
        if BotRule.matches(userAgent) || isSuspect && device() == Self.spider {
            self = .bot
        } else if Self.others?.match(userAgent) != nil {
            self = .other
        } else if operatingSystem == "iOS" {
            self = says("iPad") ? .tablet : .phone
        } else if operatingSystem == "Android" {
            self = says("Mobile") || !says("Mozilla/") && !says("Tab") ? .phone : .tablet
        } else if let known = Self.bySystem[operatingSystem] {
            self = known
        } else if Self.desktopFamilies.contains(OperatingSystemFamily.folded(operatingSystem)) {
            self = .desktop
        } else if says("OpenHarmony") {
            self = says("(Phone") ? .phone : says("(Tablet") ? .tablet : says("(PC") ? .desktop : .other
        } else {
            self = Self.byDevice[device()] ?? .other
        }
    }

    /// Names of Sony's, Amazon's, Google's, Meta's and Pico's devices among them.
    private static let others = CompiledRegex(
        "TV|BRAVIA|\\bAFT[A-Z]|CrKey|Chromecast|Xbox|P(?:layStation|LAYSTATION)|Nintendo|\\bVR\\b|; (?:Quest|Pico) |Tesla/",
        ignoringCase: false)

    /// uap-core's device family for crawlers.
    static let spider = "Spider"

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

package enum BrowserFamily {
    /// The families of a plan that names none. Further ones that can be named: any family of uap-core, as it spells it,
    /// and what the table below makes of it, such as "Internet Explorer".
    package static let standard = ["Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet"]

    /// The family that one of uap-core's belongs to; itself where the table has no other.
    static func folded(_ family: String) -> String { table[family] ?? family }

    /// uap-core's families, which tell apart a browser on a phone, in a view of another app, and in a test version.
    static let table: [String: String] = [
        "Chrome Mobile": "Chrome", "Chrome Mobile iOS": "Chrome", "Chrome Mobile WebView": "Chrome",
        "Chrome Frame": "Chrome", "Chromium": "Chrome", "HeadlessChrome": "Chrome", "Mobile Safari": "Safari",
        "Mobile Safari UI/WKWebView": "Safari", "Firefox Mobile": "Firefox", "Firefox iOS": "Firefox",
        "Firefox Alpha": "Firefox", "Firefox Beta": "Firefox", "Firefox Focus": "Firefox", "Firefox Klar": "Firefox",
        "Firefox (Minefield)": "Firefox", "Firefox (Namoroka)": "Firefox", "Firefox (Shiretoko)": "Firefox",
        "Edge Mobile": "Edge", "Edge WebView": "Edge", "Edge Webview2": "Edge", "Opera Mobile": "Opera",
        "Opera Mini": "Opera", "Opera Tablet": "Opera", "Opera Touch": "Opera", "Opera Coast": "Opera",
        "Opera Neon": "Opera", "Opera GX": "Opera", "IE": "Internet Explorer", "IE Mobile": "Internet Explorer",
        "IE Large Screen": "Internet Explorer", "DuckDuckGo Mobile": "DuckDuckGo", "Yandex Browser": "Yandex",
        "YandexSearch": "Yandex",
    ]
}

package enum OperatingSystemFamily {
    /// The families of a plan that names none. Further ones that can be named: any family of uap-core, as it spells it,
    /// and what the table below makes of it, such as "BSD".
    package static let standard = ["Windows", "macOS", "iOS", "Android", "Linux", "ChromeOS"]

    /// The family that one of uap-core's belongs to; itself where the table has no other.
    static func folded(_ family: String) -> String { table[family] ?? family }

    /// uap-core's families: distributions of one system are told apart there, and older names live on.
    static let table: [String: String] = [
        "Mac OS X": "macOS", "Mac OS": "macOS", "iPadOS": "iOS", "iPhone OS": "iOS", "Chrome OS": "ChromeOS",
        "ATV OS X": "tvOS", "WatchOS": "watchOS", "Windows NT": "Windows", "Windows XP": "Windows",
        "Windows Vista": "Windows", "Windows 7": "Windows", "Windows 8": "Windows", "Windows 8.1": "Windows",
        "Windows 10": "Windows", "Windows 95": "Windows", "Windows 98": "Windows", "Windows ME": "Windows",
        "Windows 2000": "Windows", "Arch Linux": "Linux", "CentOS": "Linux", "Debian": "Linux", "Fedora": "Linux",
        "Gentoo": "Linux", "Kubuntu": "Linux", "Linux Mint": "Linux", "Mandriva": "Linux", "Mint": "Linux",
        "PCLinuxOS": "Linux", "Puppy": "Linux", "Red Hat": "Linux", "SUSE": "Linux", "Slackware": "Linux",
        "Ubuntu": "Linux", "VectorLinux": "Linux", "Lubuntu": "Linux", "Xubuntu": "Linux", "openSUSE": "Linux",
        "DragonFly": "BSD", "FreeBSD": "BSD", "NetBSD": "BSD", "OpenBSD": "BSD",
    ]
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func holds(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count >= word.count else { return false }
        return (0...count - word.count).contains { self[$0..<$0 + word.count].elementsEqual(word) }
    }
}

/// The rule that recognizes user agents of programs that nobody sits before: crawlers, previewers, monitors, browsers
/// without a window, and libraries that fetch.
///
/// uap-core's rules know the names of many crawlers. They take the rest for the phone or the Mac that these say they
/// are, or for nothing.
///
/// The rule goes by the habits of such programs, not by a list of all: the word bot, an address of a page or a person,
/// `(compatible; NAME`, a first product that is a library. RFC 9110, section 10.1.5, asks them to name themselves and
/// their makers. An app that names itself first and its library after it is an app. The rule knows 1,950 of the 2,116
/// agents of monperrus/crawler-user-agents of July 2026, and takes 11 of uap-core's 16,056 devices for bots, most of
/// them tools.
enum BotRule {
    /// First products of libraries and tools. A letter stands before those that begin with it.
    private static let tools = """
        \\.net|a(?:b|hc|iohttp|lamofire|nthropic\\S*|pache\\S*|ria2|sync-http\\S*|ttohttpc|utocannon|wc|ws-\\S*|xel|\
        xios)|b(?:ent|runo\\S*|un)|c(?:ohere\\S*|olly|ollectd|ommons-\\S*|ontainerd|url|urlie)|d(?:art|eno|io|ocker)|\
        e(?:lixir|mbarcadero|rlang|xcon)|f(?:araday|asthttp|eign|eroxbuster|fuf|inch|lurl)|g(?:atling|it|it(?:hub|\
        lab)\\S*|it-lfs|o|obuster|ohttp|o-http\\S*|o-resty|ot|rafana|rpc\\S*|uzzle\\S*)|h(?:ackney|elm|ey|oppscotch|\
        ttp(?!/|s?://)\\S*|ttr\\d?|yper)|i(?:cinga|fttt\\S*|ndy|nsomnia|sahc)|j(?:akarta|ava\\S*|ersey|etty|meter|\
        sdom|ulia)|k(?:6|tor\\S*|ube\\S*)|l(?:aravel|ftp|ib\\S*|ocust|ua\\S*|wp\\S*)|m(?:anus\\S*|asscan|echanize|\
        icrosoft[ .-]\\S*|iniflux|int|istral\\S*|ojolicious|onit)|n(?:8n|eedle|etty|ikto|iquests|map|ode\\S*|uclei)|\
        o(?:ha|khttp)|p(?:ekko\\S*|erl|hp\\S*|ostman\\S*|owershell|rometheus|ython\\S*|ycurl)|r|r(?:apidapi|\
        eact(?:ornetty|php)|efit|endertron|eq|equests?|eqwest|esty|est-client|estsharp|etrofit|uby)|s(?:crapy|entry|\
        iege|implepie|pring|ttp|uperagent|urf|ymfony\\S*|ynapse|ystem\\.net\\S*)|t(?:erraform|esla|ypho\\S*)|\
        u(?:ndici|nirest\\S*|req|rllib\\d?|rlsession)|v(?:egeta|ert\\.x\\S*|irustotal\\S*)|w(?:appalyzer|get2?|inhttp|\
        khtmlto\\S*|ordpress|rk|ww-mechanize)|x(?:h|enu)|z(?:apier|end_\\S*|grab)|\\S+-http
        """

    /// Words anywhere. Cubot makes phones; `-user/` is whoever fetches for one who asked.
    private static let words = """
        (?<!cu)bots?(?![a-z])|\\bbot|spider|crawl|slurp|scrap(?:e|y|ing)|headless|phantomjs|puppeteer|playwright|\
        selenium|cypress|lighthouse|page ?speed|gtmetrix|pingdom|uptim|statuscake|site24x7|ptst|webpagetest|datadog|\
        newrelic|synthetic|catchpoint|dynatrace|debugbear|speedcurve|dareboost|appinsights|appsight|rigor\\b|silktide|\
        siteimprove|contentking|ahrefs|semrush|ghost inspector|health-?check|probe|nagios|check_http|zabbix|blackbox|\
        exporter|facebookexternal|facebookcatalog|meta-external|externalhit|^whatsapp/\\S+(?: [ainw])?$|^(?:viber|\
        whatsapp)$|(?:bing|link|page|sapphire|ur[il]|web)[ -]?preview|embedly|iframely|https?:|google(?:-|other|hc|\
        producer|assoc|imageproxy)|amazon[ -](?:cloud|quick|route|simple)|mediapartners|favicon|feed(?:bin|fetch|flow|\
        pars|read|valid|ly)|\\d subscribers?\\b|fetch|retriev|archiv(?:e|er|ing)\\b|heritrix|nutch|httrack|wayback|\
        scan(?:ner|ning)?\\b|check(?:er|link)?\\b|validator|verif(?:y|ier)|detect(?:ify|or)|index(?:er|ing)\\b|\
        analy[sz]er|audit|inspector|classifier|copier|downloader|monitor(?:ings?|s)?\\b|(?:api|http|rest|services|\
        ur[il]|web)[-_ ]?client|libwww-?perl|zgrab|\\bjsdom|splash\\b|wkhtmlto|powershell|web-?hook|-hook\\b|hookshot|\
        always-?on|proofpoint|mimecast|barracuda|claude-|^(?!.*(?:android|ip(?:ad|hone)|\
        mobile)).*(?:-user/|-ai(?:/|$)|[\\w.+-]@[\\w-]+\\.|(?<![./])\\b[\\w-]+\\.(?:ai|co|com|io|net|nu|org)(?:[/);]|$)|\
        (?<!user.)agent\\b)
        """

    /// Words that browsers say after `(compatible;`, small and old browsers too.
    private static let browsers = """
        msie|abrowse|android|galeon|go\\.web|icab|konqueror|linux|mac|maui|ms-|ms web|net(?:scape|front)|nokia|opera|oss/|\
        polaris|sony|symbian|teleca|u;|windows|wow64|x11|yospace
        """

    private static let pattern = CompiledRegex(
        "^(?:\(tools))(?:$|[/ (_;,-])|\(words)|\\(compatible; (?!\(browsers))", ignoringCase: true)

    /// True if the user agent is that of a bot or a tool.
    static func matches(_ userAgent: UnsafeBufferPointer<UInt8>) -> Bool { pattern?.match(userAgent) != nil }
}
