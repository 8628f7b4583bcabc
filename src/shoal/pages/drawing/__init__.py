"""Pictures as SVG text, without a library: named for those who do not see them, in the colors of the page.

Reading order: `shapes` (elements of a picture), `label_widths` (how much room words take), `scales` (values to places,
and round ticks), `axes` (ticks with words that do not overlap), `placing` (labels beside points), `marks` (shapes of
points and their legend). What is drawn with them stands in `pages/charts`.
"""
