// ThrongSystem: what several targets need of the machine. It knows nothing of counting, and no other target.
//
//   Files    files that get their name once they are whole (NewFile), and say what they are (KeptFile)
//   Process  a program that is run to its end (ProgramRun)
//   HTTP     requests to servers, with bounded answers, by libcurl (HTTPConnection)
//   Mail     a mail, and how a server takes it over, by libcurl (MailMessage, MailDispatch)
//   Traces   the daemon's account of what it does, as spans (Traces)
//   Chance   the installation's secret, and random numbers that a seed repeats (TieSecret, SeededGenerator)
//   Faults   promises that a debug build can be told to break (Fault), and places at which it dies (FaultPoint)
//
// Start with the folder that you need: none needs to know the others.
