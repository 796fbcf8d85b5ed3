// ThrongReport: releases and insights in; answers, reports and their formats out. It does not depend on ThrongStore, so
// that no raw count can reach a report. No I/O.
//
//   Insight    the answer to one insight, with its interval or margin (InsightAnswer, InsightReading); Words says it
//   Document   a report: the answers to its insights for one period (ReportDocument)
//   Formats    the report as CSV, JSON, HTML, drawings and the sheets of a workbook; the page that checks it (VerifyPage)
//   Page       charts, maps and tables of a page, and the public label's page (PageView, LabelPage); Templates are Mustache
//   Files      the files of a report (ReportFiles)
//
// Start with Document/ReportDocument.swift, then Insight/InsightAnswer.swift. Reports.md is the page on it.
