#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# browser - the report's page in a real browser: on a phone's width and a desk's, folded and unfolded. The
# browser is asked what it laid out; pictures are for people. Skipped where there is no Chromium.

load helpers

setup_file() {
	command -v chromium >/dev/null || return 0
	XDG_CACHE_HOME="$BATS_FILE_TMPDIR/cache" "$CIPHERWATT" run \
		"$BATS_TEST_DIRNAME/campaigns/smoke.yaml" --db "$BATS_FILE_TMPDIR/made.db" \
		--report "$BATS_FILE_TMPDIR/page.html" >/dev/null 2>"$BATS_FILE_TMPDIR/run.err" \
		</dev/null 3>&- || [ $? -eq 3 ] || {
		show "$BATS_FILE_TMPDIR/run.err"
		return 1
	}
}

setup() {
	setup_common
	need chromium jq
	cp "$BATS_FILE_TMPDIR/page.html" "$T/page.html"
}

teardown() {
	teardown_common
}

# laid_out WIDTH UNFOLDED: what the browser says of the page in a window of that width, in
# $T/cell.json for `check`.
laid_out() {
	cat >"$T/frame.html" <<-END
		<!DOCTYPE html><iframe id="f" src="page.html" style="width:$1px;height:800px;border:0"></iframe>
		<pre id="o"></pre><script>
		addEventListener('load', () => {
			const w = f.contentWindow, d = f.contentDocument;
			for (const fold of d.querySelectorAll('details'))
				fold.open = $2;
			const box = e => e.getBoundingClientRect();
			const svg = [...d.querySelectorAll('svg')].filter(s => box(s).height > 0);
			o.textContent = JSON.stringify({
				inner: w.innerWidth,
				wide: d.documentElement.scrollWidth,
				requests: w.performance.getEntriesByType('resource').length,
				scripts: d.querySelectorAll('script').length,
				charts: svg.length,
				narrow: svg.filter(s => box(s).width < 0.8 * $1 - 40).length,
				tables: [...d.querySelectorAll('figure table')].filter(t => box(t).height > 0).length,
				figures: d.querySelectorAll('figure').length,
				bars: [...d.querySelectorAll('rect.bar, circle.spot')].filter(b => box(b).height > 0
					&& box(b).right <= box(b.ownerSVGElement).right + 1).length,
				all: d.querySelectorAll('rect.bar, circle.spot').length,
				dots: [...d.querySelectorAll('circle')].filter(c => {
					const at = box(c), svg = box(c.ownerSVGElement);
					return at.left >= svg.left && at.right <= svg.right && at.top >= svg.top;
				}).length,
				points: d.querySelectorAll('circle').length,
				unnamed: svg.filter(s => !s.querySelector('title') || !s.querySelector('desc')).length,
				insight: [...d.querySelectorAll('#figures tbody tr')].filter(row => {
					const right = box(row.closest('.wide')).right;
					return box(row.cells[1]).right <= right && box(row.cells[2]).right <= right;
				}).length,
				rows: d.querySelectorAll('#figures tbody tr').length,
				badges: [...d.querySelectorAll('figure .badge')].filter(b => box(b).width > 0).length,
			});
		});
		</script>
	END
	timeout 60 chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files \
		--user-data-dir="$T/profile" --window-size=1400,900 --dump-dom "file://$T/frame.html" \
		>"$T/dom" 2>"$T/chromium.err" || { show "$T/chromium.err"; return 1; }
	sed -n 's/.*<pre id="o">\(.*\)<\/pre>.*/\1/p' "$T/dom" >"$T/cell.json"
	[ -s "$T/cell.json" ] || { show "$T/dom"; return 1; }
}

@test "on a phone nothing is wider than the page, and nothing is asked for" {
	laid_out 390 false
	check '.inner == 390 and .wide <= 390' '.requests == 0 and .scripts == 0' \
		'.charts >= 6 and .narrow == 0 and .unnamed == 0' '.bars == .all and .all > 0' \
		'.dots == .points and .points > 0' '.badges >= 1' \
		'.insight == .rows and .rows > 0'
}

@test "unfolded on a phone every chart has its table" {
	laid_out 390 true
	check '.wide <= 390' '.tables == .figures and .figures >= 6'
}

@test "on a desk the charts use the width" {
	laid_out 1280 false
	check '.inner == 1280 and .wide <= 1280' '.narrow == 0 and .bars == .all'
}
