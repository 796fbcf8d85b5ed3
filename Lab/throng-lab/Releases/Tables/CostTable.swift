internal import ThrongCrowd
import ThrongPlan

/// What one device and day costs: ρ of everything that is drawn, at most, and for what the crowd's devices really sent.
enum CostTable {
    static func print(_ shop: Shop, devices: Int, _ musts: inout Musts) throws {
        let costs = try shop.plan.metrics.map { try Cost($0, of: shop.plan) }
        Swift.print("ρ of a device and day")
        for cost in costs { Swift.print("  \(cost.metric.name): \(rounded(cost.most)) at most") }
        Swift.print("  all together: \(rounded(costs.reduce(0) { $0 + $1.most })) at most")
        let all = sent(shop, devices: devices).map { sent in
            costs.reduce(0) { $0 + $1.rho(of: sent[$1.metric.name] ?? 0) }
        }.sorted()
        let typical = all[all.count / 2]
        musts.say("the median of \(devices) devices, for what they sent: \(rounded(typical))", must: "2", typical <= 2)
    }

    private static func rounded(_ rho: Double) -> String { "\((rho * 100).rounded() / 100)" }

    /// By device, the events that it sent of each metric; where identifiers are counted in their place, the visits that are.
    private static func sent(_ shop: Shop, devices: Int) -> [[MetricName: Int]] {
        var sent: [[MetricName: Int]] = Array(repeating: [:], count: devices)
        shop.forEachParcel(0, devices: devices) { parcel, _ in
            let named = parcel.body.split(separator: "\"event\":\"").dropFirst().map {
                String($0.prefix { $0 != "\"" })
            }
            for metric in shop.plan.metrics where parcel.body.contains("\"purpose\":\"\(metric.purpose)\"") {
                let names = Set(metric.countingEvents.map(\.text))
                let events = named.count { names.contains($0) }
                sent[parcel.device][metric.name, default: 0] += metric.within == nil ? events : min(events, 1)
            }
        }
        return sent
    }

    /// ρ of one metric, of parts that are known to a hundredth.
    private struct Cost {
        let metric: Metric
        /// Of a device at its bound; of numbers of identifiers, of one of them.
        let events: Double
        /// By events from 1 to the bound: what so many occasions cost at most.
        let devices: [Double]
        let most: Double

        init(_ metric: Metric, of plan: Plan) throws {
            self.metric = metric
            let layout = try plan.layout(of: metric, rules: .system)
            let groupings = plan.groupings(of: metric)
            let (shape, factors) = (try MarginShape(layout, groupings: groupings), plan.marginFactors(of: metric))
            func rho(_ layout: MetricLayout, drawsEvents: Bool, kinds: Int) throws -> Double {
                let cost = try MarginCost(
                    shape, layout, metric.threshold, factors: factors, drawsEvents: drawsEvents, kindsOfDevices: kinds)
                return Double(cost.text) ?? 0
            }
            let kinds = metric.countsFirsts || metric.provesFirsts ? 2 : 1
            most = try rho(layout, drawsEvents: true, kinds: kinds)
            devices = try (1...metric.contributionBound).map { events in
                try rho(layout.bounded(by: events, groupings), drawsEvents: false, kinds: kinds)
            }
            events = most - (devices.last ?? 0)
        }

        /// What a device adds to events and sums is in proportion to what it sends, and costs the square.
        func rho(of sent: Int) -> Double {
            guard sent > 0 else { return 0 }
            if metric.within != nil { return events * Double(sent * sent) + devices[0] }
            let counted = min(sent, metric.contributionBound)
            let share = Double(counted) / Double(metric.contributionBound)
            return events * share * share + devices[counted - 1]
        }
    }
}

extension MetricLayout {
    /// The same for devices that send less. Only what numbers of devices cost may be asked of it: noise of events is narrower.
    fileprivate func bounded(by events: Int, _ groupings: [Margin]) -> MetricLayout {
        MetricLayout(
            app: app, metric: metric, purpose: purpose, rotation: rotation, period: period, timeZone: timeZone,
            dimensions: dimensions, sums: sums, contributionBound: events, groupings: groupings,
            hasIdentifiers: hasIdentifiers, within: within)
    }
}
