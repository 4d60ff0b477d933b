// Package operate implements the commands for day-to-day operation beside a running bot: pause and resume
// work, show what was spent and what was learned. They use only the database, which PlaceFlags name.
package operate

// Commands holds the subcommands with their flags.
type Commands struct {
	Pause    Pause    `cmd:"" help:"Let work rest: everything, a repository or a channel; or list what is paused."`
	Resume   Resume   `cmd:"" help:"Let what was paused go on."`
	Spending Spending `cmd:"" help:"What sessions spent, by month, channel, person or repository."`
	Learned  Learned  `cmd:"" help:"What was learned of the repositories, and where it comes from."`
}
