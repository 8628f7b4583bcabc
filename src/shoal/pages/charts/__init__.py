"""Facts to pictures. No color that a printer or a color-blind reader would miss; numbers are said in words too.

`bars` (losses, sizes), `distributions` (a column before and after), `recodings` (levels, pieces), `association` (pairs
of columns), `curve` (shares over sizes), `rates` (accuracies, attacks), `scatter` (releases compared); `labels` is what
they share. All are drawn with the shapes of `pages/drawing`.
"""

from shoal.pages.charts.association import heat
from shoal.pages.charts.bars import bars, columns
from shoal.pages.charts.curve import curve
from shoal.pages.charts.distributions import before_and_after
from shoal.pages.charts.rates import accuracies, intervals
from shoal.pages.charts.recodings import ladder, segments
from shoal.pages.charts.scatter import scatter

__all__ = [
    "accuracies",
    "bars",
    "before_and_after",
    "columns",
    "curve",
    "heat",
    "intervals",
    "ladder",
    "scatter",
    "segments",
]
