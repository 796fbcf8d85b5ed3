// Names, buckets and calendars are words of the wire, which devices speak too. Code that reads plans needs them: one
// import here replaces a second one in every file that looks at a plan.
@_exported public import ThrongWire
