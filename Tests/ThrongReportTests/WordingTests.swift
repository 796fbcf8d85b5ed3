import Testing
import ThrongPlan
import ThrongReport

@Suite("Words about numbers: one writer for every surface")
struct WordingTests {
    private let english = Wording.english
    private let german = Wording(.german)

    @Test("one of a thing stands in the singular")
    func singular() {
        #expect(english.count(1, "device") == "1 device")
        #expect(english.count(1234, "device") == "1,234 devices")
        #expect(german.count(1234, "device") == "1.234 devices")
        #expect(english.words(.drawn(1, of: .events)) == "about 1 event")
        #expect(english.words(.drawn(1412, of: .devices, within: 15)) == "about 1,410 devices")
    }

    @Test("a part has its whole only where that is published and more than nothing")
    func parts() {
        let (part, whole) = (Quantity.drawn(612, of: .events, within: 28), Quantity.drawn(801, of: .events, within: 28))
        #expect(english.part(part, of: whole) == "about 610 of about 800 events (76%)")
        #expect(english.part(.drawn(812, of: .events, within: 28), of: whole) == "about 810 of about 800 events (100%)")
        #expect(english.part(.drawn(60, of: .identifiers), of: nil) == "about 60 identifiers")
        #expect(english.part(.drawn(0, of: .events), of: .drawn(0, of: .events)) == "about 0 events")
    }

    @Test("what is withheld together: one row or several, events or devices, too little, or nobody knows")
    func rest() {
        func rest(_ events: Int64, _ quantity: Quantity? = .drawn(5, of: .events)) -> AnswerRest {
            AnswerRest(events: events, whole: 20, quantity: quantity, hasWithheld: true, isTold: events >= 5)
        }
        #expect(english.withheld(2, leaving: rest(5), counts: .events) == "Together they are 25.0% of the events.")
        #expect(english.withheld(1, leaving: rest(5), counts: .events) == "It is 25.0% of the events.")
        #expect(english.withheld(2, leaving: rest(5, nil), counts: .devices) == "They sent 25.0% of the events.")
        #expect(
            english.withheld(1, leaving: rest(5, nil), counts: .identifiers)
                == "It leaves out 25.0% of the identifiers.")
        for few in [Int64(0), 1, 4] {
            #expect(
                english.withheld(2, leaving: rest(few), counts: .events)
                    == "They leave out too few of the events to tell from none.")
            #expect(
                english.withheld(1, leaving: rest(few), counts: .devices)
                    == "It sent too few of the events to tell from none.")
        }
        #expect(
            english.withheld(1, leaving: nil, counts: .events) == "How much of the whole that leaves out is unknown.")
    }

    @Test(
        "a size has the unit that leaves two to four digits",
        arguments: [(0, "0 B"), (9999, "9,999 B"), (10_000, "10 kB"), (12_600, "13 kB"), (1_500_000_000, "1,500 MB")])
    func sizes(bytes: Int, text: String) {
        #expect(english.size(bytes) == text)
    }

    @Test("lengths of time: exactly in the largest unit without a rest, or roughly in at least two of one")
    func lengths() {
        #expect(
            [86_400, 900, 5400].map { Language.english.duration(seconds: $0) } == [
                "one day", "15 minutes", "90 minutes",
            ])
        #expect(
            [1, 119, 120, 7200, 172_800].map { english.roughly(seconds: $0) }
                == ["1 second", "119 seconds", "2 minutes", "2 hours", "2 days"])
    }
}
