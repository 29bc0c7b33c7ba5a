package evaluation

// Commands lists the sub-commands in the order in which the help shows them. Each call returns commands with flags of
// their own.
func Commands() []Command {
	return []Command{runCommand(), paperCommand(), knownItemCommand(), compareCommand(), rankingCommand(), repliesCommand()}
}
