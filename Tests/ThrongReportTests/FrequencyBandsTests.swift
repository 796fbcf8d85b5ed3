import Testing
import ThrongPlan
import ThrongReport

@Suite("The bands of a frequency are said in words")
struct FrequencyBandsTests {
    @Test(
        "what a daemon counted within windows: a band holds both its numbers",
        arguments: [
            ("1", "once"), ("2", "2 times"), ("1-2", "1 to 2 times"), ("2-3", "2 to 3 times"), (">=1", "once or more"),
            (">=4", "4 times or more"), (">=1000", "1,000 times or more"), ("other", "other"), ("-3", "-3"),
        ])
    func windows(label: String, words: String) {
        #expect(Language.english.times(label, endsBefore: false) == words)
    }

    @Test(
        "what devices answered: a band of a number ends before its second one",
        arguments: [
            ("<1", "never"), ("1-2", "once"), ("2-3", "2 times"), ("2-5", "2 to 4 times"), (">=5", "5 times or more"),
            ("other", "other"), ("from -1 to 2", "from -1 to 2"),
        ])
    func answers(label: String, words: String) {
        #expect(Language.english.times(label, endsBefore: true) == words)
    }
}
