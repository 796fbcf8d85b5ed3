/// A message that Throng says to readers: its name in the catalogues of `Languages`.
///
/// A message is a whole sentence, or a whole label or heading; what it has in it has a name, so that each language puts it where
/// it belongs. A new one needs a case here and a line in each catalogue. A catalogue for a further language is one more file.
///
/// The arguments, in all messages alike:
///
/// | argument | meaning |
/// |---|---|
/// | count, all | whole numbers by which a plural is chosen; `{count}` alone writes one as the language does |
/// | number, whole, last, earlier, low, high, margin, share, amount | numbers as they are shown, most with nouns: "about 1,410 orders" |
/// | noun, one | what is counted, several and one of it: "orders", "order"; from the plan, and not inflected |
/// | group, up, down, from, to, step, title, other, part, dimension, bucket, app, partner | names from the plan, to be quoted |
/// | groups, followers, parts, numbers | lists that are joined already |
/// | date, since, first, last, time, period, periods | dates, times and lengths of time as they are written |
/// | ends | which of low and high there are: both, low, high, or none |
/// | hasGroup, isOne, isSample, … | yes or no |
/// | kind, case, reason, … | one of a few words, which the English message names |
/// | finding | a clause without its full stop: the messages `finding…` close it, and some add where its number lies |
package enum Message: String, Sendable, Hashable, CaseIterable {
    case gap, device, event, identifier, visit, action, seconds, minutes, hours, days, periods, periodKind
    case thisPeriod, periodHour, periodWeek, weekShort, instant, amount, about, aboutCounted, aboutInBand, points
    case amountPoints, amountRelative, partOf, perOne, ofIts, span, band, never, times, timesOrMore, timesBetween
    case interval, offBy, offByTerms, aboutTheSame, unitAbout, unitEstimated, unitShare, unitSettled, unitMean
    case finding, findingOff, findingRange, findingDifference, findingInterval, amongShown, foundSaid
    case foundEstimate, shareOf, noneOf, meanOf, largest, largestShare, largestPart, onlyShown, tooClose
    case tooCloseMany, quoted, standsFor, shownBetween, retained, retainedNone, leads, others, funnelCame, funnelOne
    case funnelBest, funnelTooClose, quantile, quantileGroups, quantileGroup, boundFrom, boundIn, boundAny, rowUnder
    case leans, sinceWhen, changeSame, changeMoved, changeWithheld, movesWithheld, moves, noComparison, difference
    case course, nothingYet, tooFewToCompare, trendSpan, missing, missingPart, against, withheld, withheldSentence
    case withheldHere, withheldNote, leftOut, restUnknown, restShare, restSent, restSentFew, restLeft, restLeftFew
    case noRank, withheldTogether, othersTogether, impossibleHere, marker, absent, aged, partCounted, alert, alertUsual
    case annotation, planEdited, likeness, way
    case countsNoun, countsVisits, countsDevices, countsBusiest, excess, chosenBound, leastBehind
    case everythingCounted, sampledScaled, sampledDevices, recognised, devicesUnknown, alsoInTable, barsSummary
    case lineSummary, rangesSummary, ofStepBefore, scope, tableNamed
    case headGroup, headAll, headWithin, headRank, headStep, headQuantile, otherBucket, bucketName, headShare
    case headChange, headChangePercent, headOfStepBefore, headOfFirst, headOfWeek, headDevices, headDevicesSaid
    case headPart, headOf, headNoun, headMean, headAbout, headRange, headFrom, headTo, headOff, headChangeSince
    case headChangeSincePercent, headMetric, headPeriod, headLeast, headDigest, headPlan, preparedFor, timeZone
    case atAGlance, howToRead, readCrowd, readWithheld, readRest, readOthers, readQuantiles, readSample
    case readImpossible, readMargins, readWindow, readSaid, readIdentifiers, madeFrom, signed, deleteCopies
    case questions, letterFile, letterCheck, letterDelete, letterWhy, sheetAbout, sheetFor, sheetApp, sheetPeriod
    case sheetMargins, sheetLeast, sheetDelete, comma, labelTitle, labelLede, labelOff, labelRights, labelOnly
    case labelSmallest, labelForChildren, labelMixed, labelTopic, labelFact, labelConsent, labelUse
    case labelSignals, labelGrownUps, labelChildren, labelCodeless, labelCode, labelProof, labelWithdrawal
    case labelKept, labelCountsKept, labelCountsReaders, labelDirect, labelRelayed, labelMargin, labelCounts
    case labelWithin, labelThen, labelRollups, labelAndBy, labelBy, labelInPeriod, labelFirsts, labelProved
    case labelReach, labelAnswered, labelSplit, labelImpossible, labelWith, labelSum, labelSpread, labelSampled
    case labelThreshold, labelUntil, labelDecay, labelSource, labelSummary, labelUnlisted, labelRevealed, labelOwn
    case labelUnsplit, labelCoarsening, labelPurpose, labelCoarsely, labelRecipients, labelPlan
    case labelRightsTitle, labelRightsAsk, labelRightsNo, labelRightsSignal, labelRightsComplain, labelPicture
    case labelStepSays, labelStepCoarse, labelStepCounts, labelStepShown
    case labelShort, labelContents, labelTry, labelTryWhy, labelDone, labelAsk, labelMadeFrom, labelForPrograms
    case labelMore, labelOrMore, labelStandBehind, labelNoNames, labelNoList, labelTimeUnit, labelThenAnother
    case labelNoCodes, labelNoCodesWhy, labelThenDeleted, labelHint, labelTrial, labelIndex, labelIndexWhy
    case labelIndexApp, panelNoSignal, panelNoAge, panelOver, panelServers, panelSaidNo, panelSaidYes, panelUnasked
    case panelUnrefused, panelAgree, panelParent, panelRefuse, panelFacts, panelRequest, panelNoAnswer, panelRefused
    case panelTakenBack, panelCounted, panelNone, panelSent, panelSentMost, panelNothing, panelAll, trialNothing
    case trialNothingFor, trialMetric, trialNoStep, trialCounted, trialRefused
    case titleChange, titleOutlier, titleStep, titleAbout, nowAndThen, nowAndSpan, partOfAll, standsOut, inDetail
    case readWhiskers, madeUp, madeUpWarning, verifyTitle, verifyLede, verifyKeyTitle, verifyKeyWhy, verifyKeyLabel
    case verifyKeyBad, verifyFilesTitle, verifyFilesWhy, verifyFilesLabel, verifyGenuine, verifyMadeBy, verifyChanged
    case verifyOtherKey, verifyOtherTime, verifyUnknown, verifyNoCrypto, verifyCommands, everybody, publicTitle
    case publicLede, publicEmbed, publicPeriods, publicNothing
    case skip, signIn, signOut, signIns, signInWhy, token, signInFailed, role, signInsOf, signInSince, signInLast
    case signInUntil, signInEnd, signInLook, signInEndOf, signInEndOthers, signInsWhy, reports, reportsFor
    case reportsLede, readPeriod, download, reportPeriods, headMade, headFiles, fileKind, compare, earlier, later
    case nothingHere, nothingHereWhy, feed, feedWhy, check, checkWhy, checkThen, notice, noticeWhy, backToStart
    case allReports, compareNote, compareMark, compareWithheld, incomparable, explore, exploreWhy, exploreUntil
    case exploreLatest, allMetrics, exploreFacet, exploreChoice, exploreLast, exploreList, exploreTake, exploreSQL
    case copySQL, copied, exploreReleases, exploreLatestOf, headSampling, exploreBy, exploreShown, exploreFound
    case exploreExtent, exploreRows, exploreTooMuch, leftOutOften, exploreFigure, exploreWithin, exploreSampled
    case problem, problemWhy, draftPurpose, draftQuestion, draftTitle
}
