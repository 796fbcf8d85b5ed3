import Foundation
import Synchronization

/// A time zone to a band of UTC offsets: "UTC+0..UTC+2".
///
/// The value is an IANA name, taken at its standard time, an offset as systems name zones without one ("+05:30", "+0530",
/// "GMT+5"), or minutes east of UTC as a number. A label names the whole hours that it holds, half hours counting with
/// the hour below; bands start at UTC-12 and the last ends with UTC+14.
struct UTCOffsetBucketing: TabledBucketing {
    let buckets: LabelTable
    private let bandHours: Int

    private static let hours = -12...14

    init(bandHours: Int) throws(BucketingProblem) {
        guard (1...24).contains(bandHours) else { throw .malformedBandHours(bandHours) }
        self.bandHours = bandHours
        func named(_ hour: Int) -> String { hour < 0 ? "UTC\(hour)" : "UTC+\(hour)" }
        buckets = try LabelTable(
            stride(from: Self.hours.lowerBound, through: Self.hours.upperBound, by: bandHours).map { first in
                let last = Swift.min(first + bandHours - 1, Self.hours.upperBound)
                return first == last ? named(first) : "\(named(first))..\(named(last))"
            })
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        if case .text(let text) = value,
            let minutes = StandardOffsets.minutes[text.bytes] ?? Self.minutes(of: text.bytes)
        {
            return bucket(minutes: Double(minutes))
        }
        guard let minutes = value.numeric else { return buckets.other }
        return bucket(minutes: minutes)
    }

    /// Returns the minutes of "+05:30" or "+0530", and behind `GMT` or `UTC` of hours alone, too; nil for anything else.
    private static func minutes(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        var rest = Slice(base: text, bounds: text.indices)
        let name = rest.prefix(3).map(\.lowercasedASCII)
        let isNamed = name == Array("gmt".utf8) || name == Array("utc".utf8)
        if isNamed { rest = rest.dropFirst(3) }
        guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let hours = rest.prefix(while: \.isDigit).prefix(2)
        rest = rest[hours.endIndex...]
        let hasColon = rest.first == UInt8(ascii: ":")
        let minutes = hasColon ? rest.dropFirst() : rest
        let isAlone = isNamed && minutes.isEmpty && !hasColon
        guard hours.count == 2 || isNamed && hours.count == 1 && (hasColon || isAlone),
            isAlone || minutes.count == 2 && minutes.allSatisfy(\.isDigit), let hour = hours.decimal,
            let minute = isAlone ? 0 : minutes.decimal, minute < 60
        else { return nil }
        return Int(hour * 60 + minute) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }

    private func bucket(minutes: Double) -> Int {
        let hour = (minutes / 60).rounded(.down)
        guard hour >= Double(Self.hours.lowerBound), hour <= Double(Self.hours.upperBound) else { return buckets.other }
        return (Int(hour) - Self.hours.lowerBound) / bandHours
    }
}

/// The standard-time offset of every time zone that systems and browsers name.
///
/// Standard time is the smaller of the offsets in January and July 2026, so a zone stays in one band all year.
package enum StandardOffsets {
    /// Minutes east of UTC by zone name; built once, on first use.
    static let minutes: ByteTable = {
        var table = ByteTable(.foldingASCII)
        let winter = Date(timeIntervalSince1970: 1_768_435_200)
        let summer = Date(timeIntervalSince1970: 1_784_073_600)
        for name in names.sorted() {
            guard let zone = TimeZone(identifier: name) else { continue }
            let seconds = Swift.min(zone.secondsFromGMT(for: winter), zone.secondsFromGMT(for: summer))
            table.insert(name, seconds / 60)
        }
        return table
    }()

    /// The time zone database's names of 2026, also those that it keeps for old programs; a word with a colon is what stands
    /// before the first slash of those behind it. Written out because a device's own list depends on its system.
    private static let known = """
        CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland \
        Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal \
        ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu \
        Africa: Abidjan Accra Addis_Ababa Algiers Asmara Asmera Bamako Bangui Banjul Bissau Blantyre Brazzaville \
        Bujumbura Cairo Casablanca Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone \
        Harare Johannesburg Juba Kampala Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka \
        Malabo Maputo Maseru Mbabane Mogadishu Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou Porto-Novo \
        Sao_Tome Timbuktu Tripoli Tunis Windhoek \
        America: Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca \
        Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza \
        Argentina/Rio_Gallegos Argentina/Salta Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman \
        Argentina/Ushuaia Aruba Asuncion Atikokan Atka Bahia Bahia_Banderas Barbados Belem Belize Blanc-Sablon \
        Boa_Vista Bogota Boise Buenos_Aires Cambridge_Bay Campo_Grande Cancun Caracas Catamarca Cayenne Cayman \
        Chicago Chihuahua Ciudad_Juarez Coral_Harbour Cordoba Costa_Rica Coyhaique Creston Cuiaba Curacao \
        Danmarkshavn Dawson Dawson_Creek Denver Detroit Dominica Edmonton Eirunepe El_Salvador Ensenada \
        Fort_Nelson Fort_Wayne Fortaleza Glace_Bay Godthab Goose_Bay Grand_Turk Grenada Guadeloupe Guatemala \
        Guayaquil Guyana Halifax Havana Hermosillo Indiana/Indianapolis Indiana/Knox Indiana/Marengo \
        Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Indianapolis Inuvik \
        Iqaluit Jamaica Jujuy Juneau Kentucky/Louisville Kentucky/Monticello Knox_IN Kralendijk La_Paz Lima \
        Los_Angeles Louisville Lower_Princes Maceio Managua Manaus Marigot Martinique Matamoros Mazatlan Mendoza \
        Menominee Merida Metlakatla Mexico_City Miquelon Moncton Monterrey Montevideo Montreal Montserrat Nassau \
        New_York Nipigon Nome Noronha North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Nuuk Ojinaga \
        Panama Pangnirtung Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Acre Porto_Velho Puerto_Rico \
        Punta_Arenas Rainy_River Rankin_Inlet Recife Regina Resolute Rio_Branco Rosario Santa_Isabel Santarem \
        Santiago Santo_Domingo Sao_Paulo Scoresbysund Shiprock Sitka St_Barthelemy St_Johns St_Kitts St_Lucia \
        St_Thomas St_Vincent Swift_Current Tegucigalpa Thule Thunder_Bay Tijuana Toronto Tortola Vancouver Virgin \
        Whitehorse Winnipeg Yakutat Yellowknife \
        Antarctica: Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera South_Pole Syowa Troll \
        Vostok \
        Arctic: Longyearbyen \
        Asia: Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Ashkhabad Atyrau Baghdad Bahrain Baku Bangkok Barnaul \
        Beirut Bishkek Brunei Calcutta Chita Choibalsan Chongqing Chungking Colombo Dacca Damascus Dhaka Dili \
        Dubai Dushanbe Famagusta Gaza Harbin Hebron Ho_Chi_Minh Hong_Kong Hovd Irkutsk Istanbul Jakarta Jayapura \
        Jerusalem Kabul Kamchatka Karachi Kashgar Kathmandu Katmandu Khandyga Kolkata Krasnoyarsk Kuala_Lumpur \
        Kuching Kuwait Macao Macau Magadan Makassar Manila Muscat Nicosia Novokuznetsk Novosibirsk Omsk Oral \
        Phnom_Penh Pontianak Pyongyang Qatar Qostanay Qyzylorda Rangoon Riyadh Saigon Sakhalin Samarkand Seoul \
        Shanghai Singapore Srednekolymsk Taipei Tashkent Tbilisi Tehran Tel_Aviv Thimbu Thimphu Tokyo Tomsk \
        Ujung_Pandang Ulaanbaatar Ulan_Bator Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon Yekaterinburg \
        Yerevan \
        Atlantic: Azores Bermuda Canary Cape_Verde Faeroe Faroe Jan_Mayen Madeira Reykjavik South_Georgia \
        St_Helena Stanley \
        Australia: ACT Adelaide Brisbane Broken_Hill Canberra Currie Darwin Eucla Hobart LHI Lindeman Lord_Howe \
        Melbourne NSW North Perth Queensland South Sydney Tasmania Victoria West Yancowinna \
        Brazil: Acre DeNoronha East West \
        Canada: Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon \
        Chile: Continental EasterIsland \
        Etc: GMT GMT0 Greenwich UCT UTC Universal Zulu \
        Europe: Amsterdam Andorra Astrakhan Athens Belfast Belgrade Berlin Bratislava Brussels Bucharest Budapest \
        Busingen Chisinau Copenhagen Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey Kaliningrad \
        Kiev Kirov Kyiv Lisbon Ljubljana London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow Nicosia Oslo \
        Paris Podgorica Prague Riga Rome Samara San_Marino Sarajevo Saratov Simferopol Skopje Sofia Stockholm \
        Tallinn Tirane Tiraspol Ulyanovsk Uzhgorod Vaduz Vatican Vienna Vilnius Volgograd Warsaw Zagreb Zaporozhye \
        Zurich \
        Indian: Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion \
        Mexico: BajaNorte BajaSur General \
        Pacific: Apia Auckland Bougainville Chatham Chuuk Easter Efate Enderbury Fakaofo Fiji Funafuti Galapagos \
        Gambier Guadalcanal Guam Honolulu Johnston Kanton Kiritimati Kosrae Kwajalein Majuro Marquesas Midway \
        Nauru Niue Norfolk Noumea Pago_Pago Palau Pitcairn Pohnpei Ponape Port_Moresby Rarotonga Saipan Samoa \
        Tahiti Tarawa Tongatapu Truk Wake Wallis Yap \
        US: Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific \
        Samoa
        """

    package static let names: [String] = {
        var (area, names) = ("", [String]())
        for word in known.split(separator: " ") {
            if word.hasSuffix(":") { area = word.dropLast() + "/" } else { names.append(area + word) }
        }
        return names + (1...14).map { "Etc/GMT-\($0)" } + (1...12).map { "Etc/GMT+\($0)" }
    }()
}

/// The event's time to its hour, day of the month, weekday or ISO week by the wall clock of one zone.
///
/// The value is Unix seconds. Times outside the years 1 to 9999, and values that are not times, go to `other`.
final class TimePartBucketing: TabledBucketing {
    let buckets: LabelTable
    private let part: BucketingRule.TimePart
    private let calendar: PeriodCalendar
    /// The last quarter of an hour that was asked for and its bucket, so that live events need no time zone rules:
    /// quarter · 256 + bucket. Since 1973 every zone has changed its clock on a quarter of an hour only.
    private let latest = Atomic<Int64>(-1)

    private static let quarter: Int64 = 900
    private static let start1973 = UnixSeconds(94_694_400)
    private static let years1To9999: ClosedRange = UnixSeconds(-62_135_510_400)...UnixSeconds(253_402_214_400)

    init(part: BucketingRule.TimePart, timeZone: String) throws(BucketingProblem) {
        guard let calendar = PeriodCalendar(timeZone: timeZone) else { throw .unknownTimeZone(timeZone) }
        self.part = part
        self.calendar = calendar
        buckets = try LabelTable(Self.labels(of: part))
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        let seconds: UnixSeconds
        if case .integer(let integer) = value {
            seconds = UnixSeconds(integer)
        } else if let number = value.numeric, let integer = Int64(exactly: number.rounded(.down)) {
            seconds = UnixSeconds(integer)
        } else {
            return buckets.other
        }
        guard Self.years1To9999.contains(seconds) else { return buckets.other }
        guard seconds >= Self.start1973 else { return bucket(at: seconds) }
        let quarter = seconds.value / Self.quarter
        let known = latest.load(ordering: .relaxed)
        if known >> 8 == quarter { return Int(known & 0xff) }
        let bucket = bucket(at: seconds)
        latest.store(quarter << 8 | Int64(bucket), ordering: .relaxed)
        return bucket
    }

    private func bucket(at time: UnixSeconds) -> Int {
        switch part {
        case .hour: Int(calendar.secondOfDay(at: time) / 3600)
        case .day: calendar.date(at: time).day - 1
        case .weekday: calendar.date(at: time).weekday
        case .week: calendar.date(at: time).isoWeek.week - 1
        }
    }

    private static func labels(of part: BucketingRule.TimePart) -> [String] {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return switch part {
        case .hour: (0...23).map(padded)
        case .day: (1...31).map(padded)
        case .weekday: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        case .week: (1...53).map { "W" + padded($0) }
        }
    }
}
