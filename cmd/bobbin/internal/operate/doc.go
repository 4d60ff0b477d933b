// Package operate implements the commands for day-to-day operation beside a running bot: pause and resume
// work, show what was spent and what was learned. They use only the database, which StorageFlags name.
package operate

// Commands holds the subcommands with their flags.
type Commands struct {
	Pause    Pause    `cmd:"" help:"Pause work: everything, a repository or a channel; or list what is paused."`
	Resume   Resume   `cmd:"" help:"Resume what was paused."`
	Spending Spending `cmd:"" help:"What sessions spent, by month, channel, person or repository."`
	Learned  Learned  `cmd:"" help:"What was learned about the repositories, and where it comes from."`
}
