/// The rule that recognizes user agents of programs that nobody sits before: crawlers, previewers, monitors, browsers
/// without a window, and libraries that fetch.
///
/// uap-core's rules know the names of many crawlers. They take the rest for the phone or the Mac that these say they
/// are, or for nothing.
///
/// The rule goes by the habits of such programs, not by a list of all: the word bot, an address of a page or a person,
/// `(compatible; NAME`, a first product that is a library. RFC 9110, section 10.1.5, asks them to name themselves and
/// their makers. An app that names itself first and its library after it is an app. A draft of the rule knew 1,888 of
/// the 2,116 agents of monperrus/crawler-user-agents of July 2026, and took 9 of uap-core's 16,043 devices for bots,
/// most of them tools.
enum BotRule {
    /// First products of libraries and tools. A letter stands before those that begin with it.
    private static let tools = """
        a(?:b|hc|iohttp|pache\\S*|ria2|xios)|b(?:ent|un)|c(?:olly|ommons-\\S*|url)|d(?:art|eno)|e(?:lixir|mbarcadero|rlang|xcon)|\
        f(?:araday|asthttp|eign|inch)|g(?:o|ohttp|o-http\\S*|o-resty|ot|uzzle\\S*)|h(?:ackney|ey|ttparty|ttpie|ttpx|yper)|\
        i(?:ndy|nsomnia|sahc)|j(?:akarta|ava\\S*|ersey|etty|meter)|k(?:6|tor\\S*)|l(?:ib\\S*|ocust|ua\\S*|wp\\S*)|\
        m(?:asscan|echanize)|n(?:eedle|etty|ikto|map|ode\\S*)|okhttp|p(?:erl|hp\\S*|ostman\\S*|owershell|ython\\S*|ycurl)|\
        r(?:eactornetty|eq|equests?|eqwest|esty|est-client|estsharp|etrofit|uby)|\
        s(?:crapy|iege|pring|uperagent|ymfony\\S*|ynapse)|t(?:esla|yphoeus)|u(?:ndici|nirest\\S*|req|rllib\\d?)|\
        v(?:egeta|ert\\.x\\S*)|w(?:get|inhttp|ordpress|rk|ww-mechanize)|zend_\\S*|zgrab
        """

    /// Words anywhere. Cubot makes phones.
    private static let words = """
        (?<!cu)bots?(?![a-z])|\\bbot|spider|crawl|slurp|scrap(?:e|y|ing)|headless|phantomjs|puppeteer|playwright|selenium|cypress|\
        lighthouse|page ?speed|gtmetrix|pingdom|uptime|statuscake|site24x7|ptst|webpagetest|datadog|newrelic|synthetic|\
        health-?check|probe|nagios|check_http|zabbix|facebookexternal|facebookcatalog|meta-external|\
        ^whatsapp/\\S+(?: [ainw])?$|(?:bing|link|page|ur[il]|web)[ -]?preview|embedly|iframely|https?:|\
        ^(?!.*android).*[\\w.+-]@[\\w-]+\\.|google(?:-|other|producer|assoc|imageproxy)|mediapartners|favicon|\
        feed(?:fetch|pars|read|valid|ly)|fetch|archiv(?:e|er|ing)\\b|heritrix|nutch|httrack|wayback|scan(?:ner)?\\b|\
        check(?:er)?\\b|validator|detector|index(?:er|ing)\\b|analy[sz]er|monitor(?:ing|s)?\\b|http[-_ ]?client|libwww-?perl|\
        windowspowershell|webhook
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
