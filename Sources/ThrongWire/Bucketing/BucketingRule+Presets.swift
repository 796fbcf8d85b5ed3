extension BucketingRule {
    /// A device's memory in bands. Unit: GB, as `navigator.deviceMemory` and its kin report it.
    public static let memoryBands: BucketingRule = .bands(edges: [4, 8, 16])

    /// A device's logical processors in bands.
    public static let coreBands: BucketingRule = .bands(edges: [4, 8, 16])

    /// The rule behind `screen: standard`: the short side in CSS pixels.
    package static let standardScreen = BucketingRule.screen(mediumFrom: 600, largeFrom: 1024)

    /// The five continental regions of the United Nations over all ISO 3166-1 alpha-2 codes.
    ///
    /// Source: UN M49, "Standard country or area codes for statistical use". Taiwan, which M49 does not list, is in
    /// Asia by its geography. What devices name apart (CLDR 49: XK is Kosovo, EA and IC are Spain's, AC and TA Saint
    /// Helena's, DG is of IO) is with its country or its neighbours. Antarctica is in no region and goes to `other`.
    public static let unRegions: [BucketGroup] = [
        region(
            "Africa",
            """
            DZ EG LY MA SD TN EH IO BI KM DJ ER ET TF KE MG MW MU YT MZ RE RW SC SO SS TZ UG ZM ZW AO CM CF TD CG CD GQ \
            GA ST BW SZ LS NA ZA BJ BF CV CI GM GH GN GW LR ML MR NE NG SH SN SL TG AC DG TA
            """),
        region(
            "Americas",
            """
            AI AG AW BS BB BQ VG KY CU CW DM DO GD GP HT JM MQ MS PR BL KN LC MF VC SX TT TC VI BZ CR SV GT HN MX NI PA \
            AR BO BV BR CL CO EC FK GF GY PY PE GS SR UY VE BM CA GL PM US
            """),
        region(
            "Asia",
            """
            KZ KG TJ TM UZ CN HK MO KP JP MN KR TW BN KH ID LA MY MM PH SG TH TL VN AF BD BT IN IR MV NP PK LK AM AZ BH \
            CY GE IQ IL JO KW LB OM QA SA PS SY TR AE YE
            """),
        region(
            "Europe",
            """
            BY BG CZ HU PL MD RO RU SK UA AX GG JE DK EE FO FI IS IE IM LV LT NO SJ SE GB AL AD BA HR GI GR VA IT MT ME \
            MK PT SM RS SI ES AT BE FR DE LI LU MC NL CH EA IC XK
            """),
        region("Oceania", "AU CX CC HM NZ NF FJ NC PG SB VU GU KI MH FM NR MP PW UM AS CK PF NU PN WS TK TO TV WF"),
    ]

    private static func region(_ label: BucketLabel, _ codes: String) -> BucketGroup {
        BucketGroup(label: label, values: codes.split(separator: " ").map(String.init))
    }
}
