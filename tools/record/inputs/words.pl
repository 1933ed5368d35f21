# SPDX-License-Identifier: GPL-2.0
# Each STEP-th word of a dictionary: those of the same letters, and all of them by
# their ends in filled paragraphs.
use strict;
use warnings;

my ($file, $step) = @ARGV;
my (%same, %ends);
open my $in, '<', $file or die "$file: $!\n";
while (my $word = <$in>) {
	chomp $word;
	next if $. % $step || $word =~ /'/;
	push @{$same{join '', sort split //, lc $word}}, $word;
	push @{$ends{substr $word, -3}}, $word;
}
close $in;
print "@{$same{$_}}\n" for sort grep { @{$same{$_}} > 1 } keys %same;
for my $end (sort keys %ends) {
	my $line = '';
	for my $word (sort @{delete $ends{$end}}) {
		if (length("$line $word") > 70) {
			print "$line\n";
			$line = '';
		}
		$line .= $line eq '' ? $word : " $word";
	}
	print "$line\n\n";
}
