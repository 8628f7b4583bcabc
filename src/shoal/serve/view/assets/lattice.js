// Every scheme as a point: what it loses against what it leaves out. Points are fetched here and never stand in the page.
export default {
  template: `
    <figure class="lattice">
      <canvas ref="canvas" role="img" :aria-label="label" @click="clicked"></canvas>
    </figure>`,
  props: { url: String, chosen: Number, best: Number, label: String, across: String, up: String, limitText: String },
  data: () => ({ points: null }),
  async mounted() {
    this.points = await (await fetch(this.url)).json();
    this.draw();
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.$refs.canvas.parentElement);
    this.themes = new MutationObserver(() => this.draw());
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  },
  beforeUnmount() { this.watcher?.disconnect(); this.themes?.disconnect(); },
  watch: { chosen() { this.draw(); }, best() { this.draw(); } },
  methods: {
    frame() {
      const canvas = this.$refs.canvas, box = canvas.parentElement.getBoundingClientRect();
      const width = Math.max(280, box.width), height = Math.round(Math.min(420, Math.max(260, width * 0.5)));
      const losses = this.points.losses.filter((x) => x !== null);
      const low = Math.min(...[0, losses.reduce((a, b) => Math.min(a, b), Infinity)]), high = losses.reduce((a, b) => Math.max(a, b), 0) || 1;
      const left = 58, right = 14, top = 14, bottom = 44;
      return {
        canvas, width, height, left, right, top, bottom, low, high,
        x: (loss) => left + ((loss - low) / (high - low)) * (width - left - right),
        y: (share) => height - bottom - Math.sqrt(share) * (height - top - bottom),
      };
    },
    draw() {
      if (!this.points || !this.points.losses || !this.$refs.canvas) return;
      const f = this.frame(), ratio = window.devicePixelRatio || 1, style = getComputedStyle(document.body);
      const color = (name) => style.getPropertyValue(name).trim();
      f.canvas.width = f.width * ratio; f.canvas.height = f.height * ratio;
      f.canvas.style.width = f.width + "px"; f.canvas.style.height = f.height + "px";
      const pen = f.canvas.getContext("2d");
      pen.scale(ratio, ratio);
      pen.clearRect(0, 0, f.width, f.height);
      pen.font = "12px " + style.fontFamily;
      pen.strokeStyle = color("--line"); pen.fillStyle = color("--soft"); pen.lineWidth = 1;
      pen.textAlign = "right"; pen.textBaseline = "middle";
      for (const share of [0, 0.05, 0.25, 0.5, 1]) {
        const y = f.y(share);
        pen.beginPath(); pen.moveTo(f.left, y); pen.lineTo(f.width - f.right, y); pen.stroke();
        pen.fillText(Math.round(share * 100) + "%", f.left - 8, y);
      }
      pen.textAlign = "center"; pen.textBaseline = "top";
      for (let i = 0; i <= 4; i++) {
        const loss = f.low + ((f.high - f.low) * i) / 4;
        pen.fillText(loss >= 100 ? loss.toExponential(1) : loss.toFixed(2), f.x(loss), f.height - f.bottom + 8);
      }
      pen.fillText(this.across, f.left + (f.width - f.left - f.right) / 2, f.height - 16);
      pen.save(); pen.translate(12, f.top + (f.height - f.top - f.bottom) / 2); pen.rotate(-Math.PI / 2); pen.fillText(this.up, 0, -6); pen.restore();
      const limit = f.y(this.points.limit);
      pen.fillStyle = color("--safe-wash"); pen.fillRect(f.left, limit, f.width - f.left - f.right, f.height - f.bottom - limit);
      const safe = color("--safe"), unsafe = color("--unsafe");
      for (const pass of [false, true]) {
        pen.fillStyle = pass ? safe : unsafe;
        pen.globalAlpha = pass ? 0.8 : 0.35;
        for (let i = 0; i < this.points.losses.length; i++) {
          const loss = this.points.losses[i], share = this.points.suppressed[i];
          if (loss === null || (share <= this.points.limit) !== pass) continue;
          pen.fillRect(f.x(loss) - 1.5, f.y(share) - 1.5, 3, 3);
        }
      }
      pen.globalAlpha = 1;
      pen.fillStyle = color("--soft"); pen.textAlign = "right"; pen.textBaseline = "bottom";
      pen.fillText(this.limitText, f.width - f.right - 4, limit - 3);
      const ring = (i, name, radius) => {
        if (i === null || i === undefined || i < 0 || this.points.losses[i] === null) return;
        pen.beginPath(); pen.arc(f.x(this.points.losses[i]), f.y(this.points.suppressed[i]), radius, 0, 7);
        pen.lineWidth = 2.5; pen.strokeStyle = color(name); pen.stroke();
      };
      ring(this.best, "--safe", 9); ring(this.chosen, "--accent", 6);
    },
    clicked(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      this.$emit("near", this.nearest(event.clientX - box.left, event.clientY - box.top));
    },
    nearest(x, y) {
      const f = this.frame();
      let found = 0, least = Infinity;
      for (let i = 0; i < this.points.losses.length; i++) {
        if (this.points.losses[i] === null) continue;
        const distance = (f.x(this.points.losses[i]) - x) ** 2 + (f.y(this.points.suppressed[i]) - y) ** 2;
        if (distance < least) { least = distance; found = i; }
      }
      return found;
    },
  },
};
