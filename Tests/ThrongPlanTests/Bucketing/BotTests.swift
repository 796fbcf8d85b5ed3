import Testing
import ThrongPlan

@Suite("Bots and tools are bots, and people's devices are not")
struct BotTests {
    private static let android = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"
    private static let chrome =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36"

    @Test(
        "crawlers, previewers, monitors and browsers without a window are bots, whatever device they say they are",
        arguments: [
            "\(android) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@example.com)",
            """
            Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 \
            Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)
            """,
            "\(android) Chrome/109.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse",
            "\(android) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "\(android) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; GoogleOther)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
            "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
            "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
            "Mozilla/5.0 (compatible; SomethingNew/1.0)", "Baiduspider+(+http://www.baidu.com/search/spider.htm)",
            "ia_archiver", "facebookexternalhit/1.1", "meta-externalagent/1.1", "WhatsApp/2.23.20.0 A",
            "WhatsApp/2.24.1",
            "Slackbot-LinkExpanding 1.0", "TelegramBot (like TwitterBot)", "Twitterbot/1.0", "Discordbot/2.0",
            "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
            chrome.replacing("Chrome/147", with: "HeadlessChrome/147"), "\(chrome) PTST/240812",
            "\(chrome) Google-Read-Aloud",
            "\(chrome) (StatusCake)", "\(chrome) PingdomPageSpeed/1.0", "\(chrome) GTmetrix",
            "\(chrome) UptimeRobot/2.0",
            "Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1",
            "kube-probe/1.29", "ELB-HealthChecker/2.0", "Mediapartners-Google",
            "AdsBot-Google (+http://www.google.com/adsbot.html)",
            "\(chrome); Devin/1.0; +devin.ai", "\(chrome); Manus-User/1.0", "MistralAI-User/1.0", "Claude-Web/1.0",
            "cohere-ai",
            "\(chrome) Catchpoint", "\(chrome) (ThousandEyes Agent)", "\(chrome) Dynatrace", "\(chrome) SiteAudit",
            "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; AppInsights)", "Amazon CloudFront",
            "GoogleHC/1.0",
            "Feedbin feed-id:1 - 2 subscribers", "Blackbox Exporter/0.24.0", "W3C-checklink/5.0", "Viber",
        ])
    func crawlers(userAgent: String) throws {
        #expect(try SampleRules.label(.deviceClass, userAgent) == "bot")
    }

    @Test(
        "libraries and tools that name themselves first are bots",
        arguments: [
            "curl/8.5.0", "curl", "Wget/1.21.4", "Go-http-client/2.0", "python-requests/2.32.3", "Python-urllib/3.11",
            "Python/3.11 aiohttp/3.9.1", "python-httpx/0.27.0", "aiohttp/3.9", "okhttp/4.12.0", "Java/17.0.1",
            "Java-http-client/21", "Apache-HttpClient/4.5.14 (Java/17.0.1)", "axios/1.6.7", "node-fetch/1.0", "node",
            "undici",
            "got (https://github.com/sindresorhus/got)", "libwww-perl/6.67", "LWP::Simple/6.00", "Ruby",
            "Faraday v2.9.0",
            "PHP/8.2", "GuzzleHttp/7", "Symfony HttpClient/Curl", "WordPress/6.4; https://example.org",
            "Dart/3.2 (dart:io)",
            "reqwest/0.12", "PostmanRuntime/7.36.1", "HTTPie/3.2.2", "RestSharp/110.2",
            "Scrapy/2.11 (+https://scrapy.org)",
            "Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.22621", "ApacheBench/2.3",
            "k6/0.49",
            "http.rb/5.1.1", "HTTP.jl/1.9", "httr2/1.0", "git/2.43.0", "kubectl/v1.29.0 (linux/amd64)",
            "aws-cli/2.15.0",
            "docker/24.0.7 go/go1.20.10", "Terraform/1.7", "Prometheus/2.50.1", "R (4.3.2 x86_64-pc-linux-gnu)",
            "akka-http/10.5",
            "Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.19045; de-DE) PowerShell/7.4.1", "Wget2/2.1",
            "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0", "Microsoft Office/16.0 (Pro)",
            "n8n",
        ])
    func tools(userAgent: String) throws {
        #expect(try SampleRules.label(.deviceClass, userAgent) == "bot")
    }

    @Test(
        "a phone that is named after robots, an app that names its library second, and old browsers are people's",
        arguments: [
            "Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 50 Build/TP1A) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile",
            "Mozilla/5.0 (Linux; Android 13; CUBOT) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile Safari/537.36",
            "Dalvik/2.1.0 (Linux; U; Android 13; CUBOT P80 Build/TP1A.220624.014)",
            "MyApp/1.0 (Linux; Android 14; Pixel 8) Mobile okhttp/4.9", "MyApp/1.0 okhttp/4.9",
            "MyApp/2 (iPhone) axios/1.6",
            "MyApp/7 CFNetwork/1494.0.7 Darwin/23.4.0", "Javelin/2", "Gopher/1", "Curling/3", "RSSRadio/8899 (iPhone)",
            "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)",
            "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)",
            "Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)",
            "Lynx/2.8.9rel.1 libwww-FM/2.14", chrome, "", "Booking.com/42 (Android 14; Pixel 8)",
            "acme-user/3 (iPhone; iOS 18)",
            "ChatGPT/1.2024.332 (iOS 18.1; iPhone15,2; build 11969)", "Splashtop/3", "Goggles/1", "Gitter/2",
            "Rotten/3",
            "\(android) Chrome/28.0 Safari/537.36 (Amazon Kindle Fire; reader@example.com)",
        ])
    func people(userAgent: String) throws {
        #expect(try SampleRules.label(.deviceClass, userAgent) != "bot")
    }

    @Test(
        "headsets, sticks, consoles and cars are other devices, and apps on Android are on phones unless they say Tab")
    func others() throws {
        let linux = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
        let table: KeyValuePairs = [
            "\(linux.replacing("64)", with: "64; Quest 3)")) VR Safari/537.36": "other",
            "\(linux) Safari/537.36 CrKey/1.56.500000 DeviceType/SmartDisplay": "other",
            "\(linux) Safari/537.36 Tesla/2024.38.7": "other", "\(linux) Safari/537.36": "desktop",
            "Mozilla/5.0 (PLAYSTATION 3 4.91) AppleWebKit/531.22.8 (KHTML, like Gecko)": "other",
            "\(Self.android.replacing("; K", with: "; AFTMM")) Chrome/131.0.0.0 Mobile Safari/537.36": "other",
            "\(Self.android.replacing("; K", with: "; Chromecast")) Chrome/131.0.0.0 Safari/537.36": "other",
            "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A)": "phone",
            "Music/8.9 Android/34 (SM-S911B)": "phone",
            "Dalvik/2.1.0 (Linux; U; Android 13; Lenovo Tab P11)": "tablet",
            "Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 Chrome/114.0.0.0 Safari/537.36 Mobile": "phone",
            "Mozilla/5.0 (Tablet; OpenHarmony 5.0) AppleWebKit/537.36 Chrome/114.0.0.0 Safari/537.36": "tablet",
            "Mozilla/5.0 (PC; OpenHarmony 5.0) AppleWebKit/537.36 Chrome/132.0.0.0 Safari/537.36": "desktop",
        ]
        for (userAgent, label) in table {
            #expect(try SampleRules.label(.deviceClass, userAgent) == label, "\(userAgent)")
        }
    }

    @Test("none of 20,000 real devices is a bot")
    func sample() throws {
        let bots = try DeviceSample.userAgents().filter { try SampleRules.label(.deviceClass, $0) == "bot" }
        #expect(bots.isEmpty)
    }

    @Test("an iPad that says it is a Mac is a tablet as the beacon sends it")
    func iPad() throws {
        let mac = """
            Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 \
            Safari/605.1.15
            """
        let sent = mac.replacing("Macintosh; Intel Mac OS X 10_15_7", with: "iPad;CPU OS 13_0 like Mac OS X").replacing(
            /([._])[0-9]+/
        ) {
            "\($0.1)0"
        }
        #expect(try SampleRules.label(.deviceClass, mac) == "desktop")
        #expect(try SampleRules.label(.deviceClass, sent) == "tablet")
        #expect(try SampleRules.label(.operatingSystem(families: []), sent) == "iOS")
        #expect(try SampleRules.label(.browser(families: []), sent) == "Safari")
    }
}
