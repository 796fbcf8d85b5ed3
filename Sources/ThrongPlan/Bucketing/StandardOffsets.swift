import Foundation

/// The standard-time offset of every time zone that this machine's database and browsers name.
///
/// Standard time is the smaller of the offsets in January and July 2026, so a zone stays in one band all year.
enum StandardOffsets {
    /// Minutes east of UTC by zone name; built once, on first use.
    static let minutes: ByteTable = {
        var table = ByteTable(.foldingASCII)
        let winter = Date(timeIntervalSince1970: 1_768_435_200)
        let summer = Date(timeIntervalSince1970: 1_784_073_600)
        for name in (TimeZone.knownTimeZoneIdentifiers + furtherNames).sorted() {
            guard let zone = TimeZone(identifier: name) else { continue }
            let seconds = Swift.min(zone.secondsFromGMT(for: winter), zone.secondsFromGMT(for: summer))
            table.insert(name, seconds / 60)
        }
        return table
    }()

    /// Names that browsers send or systems are set to, and that Foundation's list of zones leaves out.
    static let furtherNames =
        """
        Africa/Asmera Africa/Timbuktu America/Argentina/ComodRivadavia America/Atka America/Buenos_Aires \
        America/Catamarca America/Coral_Harbour America/Cordoba America/Ensenada America/Fort_Wayne \
        America/Godthab America/Indianapolis America/Jujuy America/Knox_IN America/Louisville America/Mendoza \
        America/Montreal America/Porto_Acre America/Rosario America/Virgin Asia/Ashkhabad Asia/Calcutta \
        Asia/Chongqing Asia/Chungking Asia/Dacca Asia/Harbin Asia/Istanbul Asia/Kashgar Asia/Katmandu \
        Asia/Kolkata Asia/Macao Asia/Rangoon Asia/Saigon Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang \
        Asia/Ulan_Bator Atlantic/Faeroe Atlantic/Jan_Mayen Australia/ACT Australia/Canberra Australia/LHI \
        Australia/NSW Australia/North Australia/Queensland Australia/South Australia/Tasmania Australia/Victoria \
        Australia/West Australia/Yancowinna Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT \
        Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain Canada/Newfoundland Canada/Pacific \
        Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire \
        Etc/GMT Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Kiev \
        Europe/Nicosia Europe/Tiraspol Europe/Uzhgorod Europe/Zaporozhye GB GB-Eire GMT GMT+0 GMT-0 GMT0 \
        Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT \
        Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT Pacific/Enderbury \
        Pacific/Ponape Pacific/Samoa Pacific/Truk Pacific/Yap Poland Portugal ROC ROK Singapore Turkey UCT \
        US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke \
        US/Michigan US/Mountain US/Pacific US/Samoa UTC Universal W-SU WET Zulu
        """.split(separator: " ").map(String.init)
        + (1...14).map { "Etc/GMT-\($0)" } + (1...12).map { "Etc/GMT+\($0)" }
}
