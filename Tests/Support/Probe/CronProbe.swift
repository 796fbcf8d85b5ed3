import ArgumentParser
import ThrongPlan

/// Answers schedule, time zone and instant, separated by bars, with the next instant, once a line of standard input.
struct CronProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cron", abstract: "Answers SCHEDULE|ZONE|INSTANT with the next instant, line by line.")

    func run() {
        var calendars: [String: PeriodCalendar] = [:]
        while let line = readLine() {
            let parts = line.split(separator: "|").map(String.init)
            guard parts.count == 3, let instant = Int64(parts[2]),
                let calendar = calendars[parts[1]] ?? PeriodCalendar(timeZone: parts[1])
            else {
                print("malformed")
                continue
            }
            calendars[parts[1]] = calendar
            do {
                let schedule = try CronSchedule(parts[0])
                print(schedule.next(after: UnixSeconds(instant), in: calendar).map(\.description) ?? "never")
            } catch {
                print("refused")
            }
        }
    }
}
