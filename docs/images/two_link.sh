#!/bin/sh
# Makes two_link.svg, the picture of the README, from what taut computes. Needs gnuplot.
#   docs/images/two_link.sh     (from the root of the project)
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

./run compare two_link --methods baumgarte,post,implicit1,implicit2,rattle --steps 0.05 \
  --duration 15 --out "$work" > /dev/null
./run run two_link --method rattle --step 0.0005 --duration 15 --record-every 20 --out "$work/reference" --quiet

# time, y of node 2, larger of the two length errors
for file in "$work"/*_h0.05.csv "$work/reference/trajectory.csv"; do
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    { x1 = $c["node1.x"]; y1 = $c["node1.y"]; x2 = $c["node2.x"]; y2 = $c["node2.y"]
      a = sqrt(x1^2 + y1^2) - 10; b = sqrt((x2 - x1)^2 + (y2 - y1)^2) - 10
      a = a < 0 ? -a : a; b = b < 0 ? -b : b; e = a > b ? a : b
      print $c["time"], y2, (e < 1e-16 ? 1e-16 : e) }' "$file" > "$file.dat"
done

gnuplot <<PLOT
set terminal svg size 1100,420 font "Helvetica,14" background "white"
set output "$here/two_link.svg"
set multiplot layout 1,2
set key outside below horizontal
set grid lc rgb "#dddddd"
set border lc rgb "#555555"
set xlabel "time (s)"
set title "Two links falling, h = 0.05 s: height of the outer node"
set ylabel "y (m)"
set style line 1 lw 6 lc rgb "#bbbbbb"
set style line 2 lw 1.6 lc rgb "#d55e00"
set style line 3 lw 1.6 lc rgb "#cc79a7"
set style line 4 lw 1.6 lc rgb "#0072b2"
set style line 5 lw 1.6 lc rgb "#009e73"
set style line 6 lw 1.6 lc rgb "#e69f00"
plot [0:11] "$work/reference/trajectory.csv.dat" u 1:2 w l ls 1 t "reference", \
  "$work/post_h0.05.csv.dat" u 1:2 w l ls 2 t "post", \
  "$work/implicit1_h0.05.csv.dat" u 1:2 w l ls 4 t "implicit1", \
  "$work/implicit2_h0.05.csv.dat" u 1:2 w l ls 5 t "implicit2"
set title "… and how far the links are from their length"
set ylabel "error (m)"
set logscale y
set format y "10^{%L}"
plot [0:11] [1e-15:10] "$work/baumgarte_h0.05.csv.dat" u 1:3 w l ls 3 t "baumgarte", \
  "$work/post_h0.05.csv.dat" u 1:3 w l ls 2 t "post", \
  "$work/implicit1_h0.05.csv.dat" u 1:3 w l ls 4 t "implicit1", \
  "$work/implicit2_h0.05.csv.dat" u 1:3 w l ls 5 t "implicit2", \
  "$work/rattle_h0.05.csv.dat" u 1:3 w l ls 6 t "rattle"
unset multiplot
PLOT
echo "$here/two_link.svg"
