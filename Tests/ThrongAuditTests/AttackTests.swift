import Testing
import ThrongAudit

@Suite("Attacks on a naive publisher, disclosure page section 6")
struct AttackTests {
    private let region = ["AT", "DE", "LI"]

    @Test("1: a margin minus its published cells pins the hidden one")
    func margin() throws {
        let tables = [Town.family([:]), Town.family(["region": region])]
        let naive = Town.audit(
            Town.input(
                ["region": region], tables,
                [Town.number(100), Town.number(60, ["region": "AT"]), Town.number(37, ["region": "DE"])]))
        let pin = try #require(naive.pin(.exact, "region=LI"))
        #expect(pin.lower == 3 && pin.upper == 3)
        #expect(pin.arithmetic == ["-1×37", "-1×60", "1×100"])
        #expect(pin.certificates.first?.isExact == true)
        let safe = Town.audit(
            Town.input(["region": region], tables, [Town.number(100), Town.number(60, ["region": "AT"])]))
        #expect(safe.holds, "\(safe.text)")
        #expect(safe.cleared > 0)
    }

    @Test("2: a cycle with two hidden in every row and column falls to differences of line sums")
    func cycle() throws {
        // Hidden: rows {1,2} {1,2,3} {3,4} {3,4}, so two or three in every row and column. Rows 1 + 2 − columns 1 + 2
        // leave the cell in row 2, column 3 alone.
        let rows = ["r1", "r2", "r3", "r4"]
        let columns = ["c1", "c2", "c3", "c4"]
        var cells: [[Int64]] = [[2, 9, 20, 20], [8, 7, 1, 20], [20, 20, 9, 8], [20, 20, 7, 9]]
        let hidden: Set<[Int]> = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 2], [2, 3], [3, 2], [3, 3]]
        func input(hidden: Set<[Int]>) -> AuditInput {
            var numbers: [AuditStatement] = []
            for row in 0..<4 {
                numbers.append(Town.number(cells[row].reduce(0, +), ["row": rows[row]]))
                numbers.append(Town.number((0..<4).reduce(0) { $0 + cells[$1][row] }, ["column": columns[row]]))
                for column in 0..<4 where !hidden.contains([row, column]) {
                    numbers.append(Town.number(cells[row][column], ["row": rows[row], "column": columns[column]]))
                }
            }
            return Town.input(
                ["row": rows, "column": columns],
                [
                    Town.family(["row": rows]), Town.family(["column": columns]),
                    Town.family(["row": rows, "column": columns]),
                ], numbers)
        }
        let report = Town.audit(input(hidden: hidden))
        let pin = try #require(report.pin(.exact, "column=c3", "row=r2"))
        #expect(pin.upper == 1)
        #expect(pin.certificates.first?.isExact == true)
        // Two rows and two columns, and the seven published cells in them.
        #expect(pin.certificates.first?.steps.count == 11)
        // One small cell on a six-cycle, and 9, 9 and 20 to give where it takes: it can be 11.
        cells[1][2] = 9
        let cycle: Set<[Int]> = [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2], [2, 0]]
        #expect(Town.audit(input(hidden: cycle)).holds)
    }

    @Test("3: two hidden cells that sum to 3 are both under k")
    func residual() throws {
        let tables = [Town.family([:]), Town.family(["region": region])]
        let report = Town.audit(
            Town.input(["region": region], tables, [Town.number(100), Town.number(97, ["region": "AT"])]))
        let pin = try #require(report.pin(.bounded, "region=DE"))
        #expect(pin.lower == 0 && pin.upper == 3)
        #expect(pin.arithmetic == ["-1×97", "1×100"])
        #expect(report.pin(.exact, "what is withheld together")?.upper == 3)
        let safe = Town.audit(
            Town.input(["region": region], tables, [Town.number(100), Town.number(90, ["region": "AT"])]))
        #expect(safe.holds)
    }

    @Test("4: a week over six published days pins the seventh")
    func week() throws {
        let days = (0..<7).map { Town.days($0, $0 + 1) }
        var numbers = days.dropLast().map { Town.number(20, [:], $0) }
        numbers.append(Town.number(123, [:], Town.days(0, 7)))
        let families = days.map { Town.family([:], $0) } + [Town.family([:], Town.days(0, 7))]
        let report = Town.audit(Town.input([:], families, numbers))
        let pin = try #require(report.pins.first)
        #expect(pin.kind == .exact && pin.upper == 3)
        #expect(pin.certificates.first?.steps.count == 7)
        numbers.remove(at: 0)
        #expect(Town.audit(Town.input([:], families, numbers)).holds)
    }

    @Test("5: rolling weeks a day apart pin the new day through the old one")
    func rolling() throws {
        let numbers = [
            Town.number(140, [:], Town.days(0, 7)), Town.number(123, [:], Town.days(1, 8)),
            Town.number(20, [:], Town.days(0, 1)),
        ]
        let families = [
            Town.family([:], Town.days(0, 7)), Town.family([:], Town.days(1, 8)), Town.family([:], Town.days(0, 1)),
            Town.family([:], Town.days(7, 8)),
        ]
        let report = Town.audit(Town.input([:], families, numbers))
        let pin = try #require(report.pins.first)
        #expect(pin.upper == 3 && pin.arithmetic == ["-1×140", "1×123", "1×20"])
        #expect(Town.audit(Town.input([:], families, Array(numbers.dropLast()))).holds)
    }

    @Test("6: two partners' filters, AT+DE and AT+DE+LI, pin LI")
    func partners() throws {
        let numbers = [
            Town.number(97, "region", ["AT", "DE"], source: "north"),
            Town.number(100, "region", ["AT", "DE", "LI"], source: "south"),
        ]
        let all = ["region": region + ["CH"]]
        let report = Town.audit(Town.input(all, [Town.family(["region": all["region"] ?? []])], numbers))
        let pin = try #require(report.pin(.exact, "region=LI"))
        #expect(pin.upper == 3)
        #expect(Set(pin.certificates.first?.steps.map(\.source) ?? []) == ["north", "south"])
        #expect(Town.audit(Town.input(all, [Town.family(["region": all["region"] ?? []])], [numbers[1]])).holds)
    }

    @Test("7: a second release two devices later pins the late ones")
    func late() throws {
        let numbers = [Town.number(100, source: "first"), Town.number(102, source: "second")]
        let families = [Town.family([:], source: "first"), Town.family([:], source: "second")]
        let report = Town.audit(Town.input([:], families, numbers))
        #expect(report.pin(.exact, "late batch")?.upper == 2)
        let same = [Town.number(100, source: "first"), Town.number(100, source: "second")]
        #expect(Town.audit(Town.input([:], families, same)).holds)
    }

    @Test("8: a cumulative series pins a day by one difference")
    func cumulative() {
        let numbers = [Town.number(40, [:], Town.days(0, 2)), Town.number(43, [:], Town.days(0, 3))]
        let families = [Town.family([:], Town.days(0, 2)), Town.family([:], Town.days(0, 3))]
        #expect(Town.audit(Town.input([:], families, numbers)).pins.first?.upper == 3)
        let safe = [numbers[0], Town.number(50, [:], Town.days(0, 3))]
        let report = Town.audit(Town.input([:], families, safe))
        #expect(report.holds && report.notices.first?.kind == .derivable)
        #expect(!Town.audit(Town.input([:], families, safe)) { $0.derivableIsPin = true }.holds)
    }

    @Test("9: two groupings that do not nest pin their overlap")
    func unnested() throws {
        let all = ["region": region]
        let numbers = [
            Town.number(50, "region", ["AT", "DE"]), Town.number(41, "region", ["DE", "LI"]), Town.number(88),
        ]
        let report = Town.audit(Town.input(all, [Town.family([:]), Town.family(all)], numbers))
        let pin = try #require(report.pin(.exact, "region=DE"))
        #expect(pin.upper == 3 && pin.arithmetic == ["-1×88", "1×41", "1×50"])
        #expect(Town.audit(Town.input(all, [Town.family([:]), Town.family(all)], Array(numbers.dropFirst()))).holds)
    }

    @Test("10: published zeros tell that hidden cells are at least one, and so at most four")
    func singletons() throws {
        let all = ["region": region]
        let tables = [Town.family([:]), Town.family(all)]
        let numbers = [Town.number(5), Town.number(0, ["region": "LI"])]
        let report = Town.audit(Town.input(all, tables, numbers))
        #expect(report.pin(.zeroShown, "LI") != nil)
        let pin = try #require(report.pin(.bounded, "region=AT"))
        #expect(pin.lower == 1 && pin.upper == 4)
        #expect(Town.audit(Town.input(all, tables, [Town.number(5)])).holds)
    }

    @Test("12: a share of a known base and a mean of a known sum give the hidden number")
    func quotients() throws {
        let all = ["region": region]
        let tables = [Town.family([:]), Town.family(all, measures: [.count, .sum("euro")])]
        let li = AuditRegion(period: Town.days(0, 1), buckets: ["region": "LI"])
        let share = AuditQuotient(
            source: "shares", app: "town",
            numerator: [.init(metric: "visits", measure: .count, region: li)],
            denominator: .init(
                metric: "visits", measure: .count, region: AuditRegion(period: Town.days(0, 1), buckets: [:])),
            value: "0.030", scale: 1)
        let naive = Town.audit(Town.input(all, tables, [Town.number(100)] + share.statements))
        let pin = try #require(naive.pin(.exact, "region=LI"))
        #expect(pin.upper == 3)
        let mean = AuditQuotient(
            source: "means", app: "town", numerator: [.init(metric: "visits", measure: .sum("euro"), region: li)],
            denominator: .init(metric: "visits", measure: .count, region: li), value: "12.50", scale: 1_000_000)
        let sum = Town.number(37_500_000, ["region": "LI"], measure: .sum("euro"))
        #expect(
            Town.audit(Town.input(all, tables, [Town.number(100), sum] + mean.statements)).pin(.exact, "region=LI")?
                .upper == 3)
        #expect(Town.audit(Town.input(all, tables, [Town.number(100)] + mean.statements)).holds)
    }

    @Test("13: shares that add up to 100 % give the last one")
    func shares() throws {
        let all = ["region": region]
        let whole = AuditStatement.Term(
            metric: "visits", measure: .count, region: AuditRegion(period: Town.days(0, 1), buckets: [:]))
        func share(_ label: String, _ value: String) -> [AuditStatement] {
            AuditQuotient(
                source: "shares", app: "town",
                numerator: [
                    .init(
                        metric: "visits", measure: .count,
                        region: AuditRegion(period: Town.days(0, 1), buckets: ["region": label]))
                ], denominator: whole, value: value, scale: 1
            ).statements
        }
        let tables = [Town.family([:]), Town.family(all)]
        let report = Town.audit(
            Town.input(all, tables, [Town.number(100)] + share("AT", "0.600") + share("DE", "0.370")))
        #expect(report.pin(.exact, "region=LI")?.upper == 3)
        #expect(Town.audit(Town.input(all, tables, [Town.number(100)] + share("AT", "0.600"))).holds)
    }

    @Test("14: the rest behind a top list is a cell like any other")
    func rest() {
        let all = ["page": ["a", "b", "c", "d"]]
        let tables = [Town.family([:]), Town.family(all)]
        let numbers = [
            Town.number(100), Town.number(50, ["page": "a"]), Town.number(30, ["page": "b"]),
            Town.number(17, ["page": "c"]),
        ]
        #expect(Town.audit(Town.input(all, tables, numbers)).pin(.exact, "page=d")?.upper == 3)
        let shown = Town.number(3, "page", ["d"])
        #expect(Town.audit(Town.input(all, tables, [shown])).pin(.belowThreshold) != nil)
    }

    @Test("15: a null bucket that is not shown is total minus the others")
    func null() {
        let numbers = [Town.number(100), Town.number(60, ["region": "AT"]), Town.number(37, ["region": "DE"])]
        let tables = [Town.family([:]), Town.family(["region": ["AT", "DE"]])]
        #expect(Town.audit(Town.input([:], tables, numbers)).pin(.exact, "region=(any other)")?.upper == 3)
    }

    @Test("16: a bucket edge moved by a year pins that year")
    func edge() throws {
        var input = Town.input(
            [:], [Town.family(["age": ["<18", "18-25", ">=25"]]), Town.family(["age": ["<18", "18-26", ">=26"]])],
            [Town.number(40, ["age": "18-25"]), Town.number(43, ["age": "18-26"])])
        input.declare(.init(name: "age", elements: ["<18", "18-25", ">=25"]))
        input.declare(.init(name: "age", elements: ["<18", "18-26", ">=26"]))
        let pin = try #require(Town.audit(input).pin(.exact, "[25.0, 26.0)"))
        #expect(pin.upper == 3)
        input.statements.removeLast()
        #expect(Town.audit(input).holds)
    }

    @Test("17: the same series in two time zones pins the hours between")
    func zones() {
        let hour: Int64 = 3600
        let utc = AuditPeriod(start: 0, end: 24 * hour)
        let cet = AuditPeriod(start: -hour, end: 23 * hour)
        var input = Town.input(
            [:], [Town.family([:], utc), Town.family([:], cet)], [Town.number(43, [:], utc), Town.number(40, [:], cet)])
        // Nothing before midnight UTC: the series began there.
        input.plan.begins = ["visits": 0]
        #expect(Town.audit(input).pins.first?.upper == 3)
        input.plan.begins = [:]
        #expect(Town.audit(input).holds)
    }

    @Test("18: a hidden device count falls to an event that each device sends once")
    func ties() {
        var input = Town.input(
            ["region": region],
            [
                Town.family(["region": region], measures: [.count, .reach]),
                Town.family(["region": region], metric: "first_start"),
            ],
            [
                Town.number(30, ["region": "LI"]),
                Town.number(7, ["region": "LI"], metric: "first_start"),
            ])
        #expect(Town.audit(input).holds)
        input.plan.ties = [
            .init(
                app: "town", left: .init(metric: "visits", measure: .reach),
                right: .init(metric: "first_start", measure: .count), isEqual: true)
        ]
        #expect(Town.audit(input).notices.contains { $0.kind == .derivable && $0.measure == .reach && $0.upper == 7 })
        input.statements[1] = Town.number(10, metric: "first_start")
        input.statements.append(Town.number(7, ["region": "DE"], metric: "first_start"))
        #expect(Town.audit(input).pins.contains { $0.measure == .reach && $0.target.contains("LI") && $0.upper == 3 })
    }

    @Test("18b: metrics that count the same events give each other's countries away")
    func sameEvents() {
        let kinds = ["kind": ["x", "y"]]
        var input = Town.input(
            ["region": region, "kind": ["x", "y"]],
            [Town.family(["region": region].merging(kinds) { $1 }), Town.family(["region": region], metric: "looks")],
            [
                Town.number(9, ["region": "LI", "kind": "x"]),
                Town.number(12, ["region": "LI"], metric: "looks"),
            ])
        #expect(Town.audit(input).holds)
        let counted = ["visits", "looks"].map {
            AuditedEvents(app: "town", metric: $0, events: ["open"], audience: "all")
        }
        input.tie(counted)
        #expect(Town.audit(input).pins.contains { $0.target.contains("kind=y") && $0.upper == 3 })
        input.statements.removeLast()
        #expect(Town.audit(input).holds)
    }

    @Test("18c: a total less its published kinds gives the last kind away")
    func kinds() {
        var input = Town.input(
            ["region": region],
            ["all", "views", "clicks"].map { Town.family(["region": region], metric: $0) },
            [
                Town.number(12, ["region": "LI"], metric: "all"), Town.number(9, ["region": "LI"], metric: "views"),
            ])
        #expect(Town.audit(input).holds)
        input.tie(
            [("all", ["view", "click"]), ("views", ["view"]), ("clicks", ["click"])].map { name, events in
                AuditedEvents(app: "town", metric: name, events: Set(events), audience: "all")
            })
        #expect(Town.audit(input).pins.contains { $0.metric == "clicks" && $0.upper == 3 })
    }

    @Test("numbers that contradict the ties are examined metric by metric")
    func contradiction() {
        var input = Town.input(
            ["region": region], ["visits", "looks"].map { Town.family(["region": region], metric: $0) },
            [
                Town.number(12, ["region": "LI"], metric: "looks"), Town.number(9, ["region": "LI"]),
                Town.number(30), Town.number(9, ["region": "AT"]),
            ])
        input.tie(["visits", "looks"].map { AuditedEvents(app: "town", metric: $0, events: ["open"], audience: "") })
        let report = Town.audit(input)
        #expect(report.unexamined.contains { $0.contains("examined alone") })
    }

    @Test("20: the second largest contributor bounds the largest within p %")
    func insider() {
        var input = Town.input(
            [:], [Town.family([:], measures: [.sum("euro")])], [Town.number(1000, measure: .sum("euro"))])
        input.insiders = [AuditInsider(statement: input.statements[0], ownContribution: 10, contributors: 5)]
        #expect(Town.audit(input).pin(.dominance)?.upper == 990)
        input.insiders = [AuditInsider(statement: input.statements[0], ownContribution: 200, contributors: 5)]
        #expect(Town.audit(input).holds)
    }

    @Test("22: a cell that nobody asked for yet is pinned by today's numbers")
    func tomorrow() {
        let all = ["region": region, "system": ["A", "B"]]
        let tables = [Town.family([:]), Town.family(["region": region]), Town.family(["system": ["A", "B"]])]
        let numbers = [
            Town.number(100), Town.number(60, ["region": "AT"]), Town.number(37, ["region": "DE"]),
            Town.number(50, ["system": "A"]),
            Town.number(50, ["system": "B"]),
        ]
        let report = Town.audit(Town.input(all, tables, numbers))
        #expect(
            report.pins.contains {
                $0.kind == .bounded && $0.target.contains("region=LI") && $0.target.contains("system=A")
                    && $0.upper == 3
            })
    }

    @Test("24: an interval within p % around a hidden sum is too close")
    func closeness() {
        let all = ["region": region]
        func input(_ at: Int64) -> AuditInput {
            let sum = AuditMeasure.sum("euro")
            return Town.input(
                all, [Town.family([:], measures: [.count, sum]), Town.family(all, measures: [.count, sum])],
                [
                    Town.number(100), Town.number(1000, measure: sum), Town.number(40, "region", ["LI", "DE"]),
                    Town.number(60, "region", ["AT", "DE"]),
                    AuditStatement(
                        source: "report", app: "town", metric: "visits", measure: sum,
                        region: AuditRegion(
                            period: Town.days(0, 1), slices: [.init(dimension: "region", labels: ["DE", "LI"])]),
                        value: at),
                    AuditStatement(
                        source: "report", app: "town", metric: "visits", measure: sum,
                        region: AuditRegion(
                            period: Town.days(0, 1), slices: [.init(dimension: "region", labels: ["AT", "LI"])]),
                        value: 990),
                ])
        }
        // AT + DE + LI = 1000, DE + LI = 15, AT + LI = 990: DE = 10, AT = 985, LI = 5.
        #expect(!Town.audit(input(15)).holds)
        // LI lies in 0…30 of 1000, AT in 970…1000: AT is known within 3 %.
        var close = input(30)
        close.statements.removeLast()
        close.statements.remove(at: 3)
        close.statements.remove(at: 2)
        close.statements.removeFirst()
        close.statements[1] = Town.number(970, ["region": "AT"], measure: .sum("euro"))
        close.statements.append(
            AuditStatement(
                source: "report", text: "DE is at least 25", app: "town",
                terms: [
                    .init(
                        metric: "visits", measure: .sum("euro"),
                        region: AuditRegion(period: Town.days(0, 1), buckets: ["region": "DE"]))
                ],
                lower: 28, upper: nil))
        #expect(Town.audit(close).pin(.close, "region=DE")?.lower == 28)
    }
}
