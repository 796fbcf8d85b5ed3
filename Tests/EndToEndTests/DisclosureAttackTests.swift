import Testing

/// Every attack on what a real `throng serve` gave to two partners and to analysts, k = 5.
///
/// What shows that an attack works is that it takes a naive house: one that withholds whatever stands for fewer than k
/// devices, and nothing else. Attacks 25 and 26 need the engine alone; they are in ThrongSuppressionTests.
@Suite("Promise 5: a withheld number cannot be derived")
struct DisclosureAttackTests {
    private struct Attack {
        let number: String
        let claim: String
    }

    private static let attacks = [
        Attack(number: "1", claim: "margin: 100 = 60 + 37 + hidden, and nobody can tell the 3"),
        Attack(number: "2", claim: "cycle: differences of line sums solve nothing hidden"),
        Attack(number: "3", claim: "residual: what is withheld together is not 3"),
        Attack(number: "4", claim: "week: it does not give the day that is missing beside six published ones"),
        Attack(number: "4b", claim: "week by shade: weeks over days do not give a shade's small day"),
        Attack(number: "5", claim: "rolling weeks: no two that are a day apart are ever released"),
        Attack(number: "6", claim: "two partners: AT+DE+LI less AT+DE does not give LI"),
        Attack(number: "6b", claim: "two partners: nor do two coarser dimensions that are made of the same countries"),
        Attack(number: "7", claim: "re-release: there is none, and late devices count on the day on which they come"),
        Attack(number: "8", claim: "cumulative series: no step of a running total gives a small day"),
        Attack(number: "9", claim: "two groupings that do not nest do not give their overlap"),
        Attack(number: "10", claim: "singletons: no published zero tells that they are ones"),
        Attack(number: "11", claim: "marker: a zero and a small number look the same in every file"),
        Attack(number: "11b", claim: "absence: a day without anybody and a day of two devices look the same"),
        Attack(number: "12", claim: "quotients: no share and no mean gives a withheld number"),
        Attack(number: "13", claim: "shares that add to 100 % do not give the last one"),
        Attack(number: "14", claim: "ranking: the first three do not give a small rest"),
        Attack(number: "15", claim: "null bucket: devices without a value are a part like any other"),
        Attack(number: "16", claim: "moved edge: it starts new counters, so that no year is a difference"),
        Attack(number: "17", claim: "two time zones: an app has one, so that no hour is a difference"),
        Attack(number: "18", claim: "devices: an event that each sends once does not give their hidden number"),
        Attack(number: "18b", claim: "same events: one metric's numbers do not give another's hidden ones"),
        Attack(number: "19", claim: "windows: two devices in six windows are not twelve"),
        Attack(number: "20", claim: "dominance: who spent the second most cannot tell the most"),
        Attack(number: "21", claim: "sameness: nobody can prove that a whole team is sick"),
        Attack(number: "22", claim: "tomorrow: no cell that somebody may ask for is pinned today"),
        Attack(number: "23", claim: "repeats: fifty answers with a margin are one answer"),
        Attack(number: "24", claim: "interval: none around a hidden sum is too close"),
        Attack(number: "27", claim: "two coarsenings of one field, a metric each, do not give what lies between them"),
        Attack(
            number: "28", claim: "a kind of event beside a metric of that event alone gives no small number"),
        Attack(number: "30", claim: "ring: six hidden cells of a grid do not give two of them together"),
        Attack(number: "31", claim: "all actions less safe ones are not one device's sixty"),
        Attack(number: "32", claim: "hours: a day less its hours is not one late device"),
        Attack(number: "34", claim: "bands: edges, counts and a sum do not prove a band small"),
        Attack(number: "39", claim: "one rule under two names of dimensions is one dimension"),
        Attack(number: "39b", claim: "two names of one rule in one metric prove nothing by pairs that can't be"),
        Attack(number: "40", claim: "a purpose with consent beside one without does not give those who refused"),
        Attack(number: "audit files", claim: "an independent attacker finds nothing in all files together"),
        Attack(number: "audit database", claim: "nor in everything that the database released"),
    ]

    @Test("attacks on released files and views find nothing, and each takes the naive house", .timeLimit(.minutes(40)))
    func attack() async throws {
        let results = try await MountedAttacks.results()
        for attack in Self.attacks {
            let result = try #require(results[attack.number], "attacks.py did not mount attack \(attack.number)")
            #expect(result.ours == [], "attack \(attack.number), \(attack.claim)")
            #expect(result.naive != [], "the control of attack \(attack.number) must be seen to fail")
        }
    }
}
