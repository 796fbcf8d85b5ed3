import ThrongPlan

extension Slip {
    /// The small plan's dimensions with one that is made of `os`, which stands before the metrics.
    private static func derived(_ body: String, _ problem: String) -> Slip {
        Slip("metrics:\n", "  platform:\n\(body)metrics:\n", problem)
    }

    private static let head = "    title: Platform\n    of: os\n"

    static let hierarchies = [
        derived(
            head + "    groups: {Desktop: [Windows, mcOS]}\n",
            """
            26:33: dimension 'platform': 'groups': 'os' has no bucket 'mcOS'; did you mean 'macOS'? known: Windows, \
            macOS, iOS, Android, Linux, ChromeOS
            """
        ),
        derived(
            head + "    groups: {Desktop: [Windows], Mobile: [iOS, Windows]}\n",
            """
            26:48: dimension 'platform': 'groups': 'Windows' belongs to the bucket 'Desktop' already; a value has \
            one bucket
            """
        ),
        derived(
            head + "    groups: {Desktop: [Windows, other]}\n",
            "26:33: dimension 'platform': 'groups': 'other' always goes to 'other'; leave it out"),
        derived(
            head + "    groups: {other: [Windows]}\n",
            "26:14: dimension 'platform': 'groups': every bucketing has a bucket 'other' of its own; leave it out"),
        derived(
            head + "    groups: {Linux: [ChromeOS]}\n",
            """
            26:14: dimension 'platform': 'groups': 'Linux' is a bucket of 'os', too; let it hold that one or rename it
            """
        ),
        derived(
            head + "    groups: {\"a;b\": [ChromeOS]}\n",
            """
            26:13: dimension 'platform': 'groups': \(BucketingProblem.malformedLabel("a;b"))
            """
        ),
        derived(
            head + "    groups: [Windows]\n",
            """
            26:13: dimension 'platform': 'groups': found a list; buckets with those of 'os' that they hold are \
            allowed, such as {first: [Windows, macOS]}
            """
        ),
        derived(
            head, "23:3: dimension 'platform': 'groups' is missing; say which buckets of 'os' make one bucket here"),
        derived(
            head + "    groups: {Desktop: [Windows]}\n    partitions: devices\n",
            """
            27:17: dimension 'platform': 'partitions' is that of the dimension that it is made of; leave it out
            """
        ),
        derived(
            head + "    groups: {Desktop: [Windows]}\n    field: user_agent\n",
            "27:12: dimension 'platform': 'of' takes the buckets of another dimension; leave 'field' out"),
        derived(
            head + "    groups: {Desktop: [Windows]}\n    screen: standard\n",
            "23:3: dimension 'platform' coarsens its field in 2 ways: screen, of; keep one"),
        derived(
            "    title: Platform\n    of: ost\n    groups: {Desktop: [Windows]}\n",
            "25:9: dimension 'platform': 'of': unknown dimension 'ost'; did you mean 'os'? known: os, age"),
        derived(
            "    title: Platform\n    of: platform\n    groups: {Desktop: [Windows]}\n",
            """
            25:9: dimension 'platform': 'of': 'platform' is made of another dimension itself; name one that is made \
            from a field
            """
        ),
        derived(
            head + "    groups: {Desktop: [Windows]}\n  kind: {title: K, of: platform, groups: {x: [Desktop]}}\n",
            """
            27:24: dimension 'kind': 'of': 'platform' is made of another dimension itself; take the buckets of 'os'
            """
        ),
        Slip(
            "bands: [10, 20, 30]\n", "bands: [10, 20, 30]\n    groups: {a: [b]}\n",
            "23:5: dimension 'age': 'groups' goes with 'of' only; leave it out"),
    ]

    static let disclosure = [
        Slip(
            "period: day\n    measures", "period: day\n    margin: standard\n    measures",
            """
            34:5: metric 'views': unknown key 'margin'; did you mean 'margins'? known: title, noun, events, question, \
            decision, owner, expires, purpose, dimensions, period, measures, contribution_bound, sampling, threshold, \
            impossible, margins, rollups, decay, answered
            """
        ),
        Slip(
            "period: day\n    measures", "period: day\n    noun: {one: view}\n    measures",
            "34:11: metric 'views': 'noun': 'many' is missing; add it"),
        Slip(
            "period: day\n    measures", "period: day\n    impossible: [{os: iOs, age: <10}]\n    measures",
            """
            34:23: metric 'views': 'impossible': 'os' has no bucket 'iOs'; did you mean 'iOS'? known: Windows, \
            macOS, iOS, Android, Linux, ChromeOS, other
            """
        ),
        Slip(
            "period: day\n    measures", "period: day\n    impossible: [{oss: iOS}]\n    measures",
            """
            34:19: metric 'views': 'impossible': unknown dimension of this metric 'oss'; did you mean 'os'? known: \
            os, age
            """
        ),
        Slip(
            "period: day\n    measures",
            "period: day\n    impossible: [{os: iOS, age: <10}, {age: <10, os: iOS}]\n    measures",
            "34:39: metric 'views': 'impossible': this combination is listed twice; keep one"),
        Slip(
            "period: day\n    measures", "period: day\n    impossible: [{}]\n    measures",
            """
            34:18: metric 'views': 'impossible': found a mapping; dimensions with one bucket each are \
            allowed, such as {os: iOS}
            """
        ),
        Slip(
            "period: day\n    measures", "period: day\n    rollups: [day]\n    measures",
            "34:14: metric 'views': 'rollups': a day is not made of whole days; week, month are allowed"),
        Slip(
            "period: day\n    measures", "period: day\n    rollups: [week, month]\n    measures",
            """
            34:14: metric 'views': 'rollups': weeks don't nest in months, so that both could be taken apart \
            together; name one of them
            """
        ),
        Slip(
            "period: day\n    measures", "period: hour\n    rollups: [week, day]\n    measures",
            """
            34:14: metric 'views': 'rollups': week, day do not ascend; order them by length
            """
        ),
    ]
}
