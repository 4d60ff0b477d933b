// Package operate has the commands by which whoever runs the bot tends it from day to day, beside
// the running bot: pause and resume, what was spent, what was learned. They know the database
// alone; PlaceFlags says which.
package operate

// Commands are the subcommands, with their flags.
type Commands struct {
	Pause    Pause    `cmd:"" help:"Let work rest: everything, a repository or a channel; or list what is paused."`
	Resume   Resume   `cmd:"" help:"Let what was paused go on."`
	Spending Spending `cmd:"" help:"What sessions spent, by month, channel, person or repository."`
	Learned  Learned  `cmd:"" help:"What was learned of the repositories, and where it comes from."`
}
